import type { Agent } from "@pegboard/contract";
import { PegboardError } from "../core/error.ts";
import type { Event } from "../core/event.ts";
import { canonicalJson } from "../core/json.ts";
import type { Message, Model } from "../core/model.ts";
import { agentIdentity } from "../core/name.ts";
import type { RunPlace } from "../core/own-tools.ts";
import type { AgentRun } from "./agent-run.ts";
import type { ReadAttachment } from "./attachments.ts";
import type { AgentCatalog, AgentEntry } from "./catalog.ts";
import { chooseModel } from "./choose-model.ts";
import { toFirstMessage } from "./first-message.ts";
import { toRunPlace } from "./run-place.ts";
import { checkAgent, type RunRequest } from "./run-request.ts";
import { foldTranscript } from "./transcript.ts";
import { toJudge } from "./verdict.ts";
import { warmModel, type WarmModelDeps } from "./warm-model.ts";

/** What runs are prepared with. */
export interface PrepareRunDeps extends WarmModelDeps {
  readonly agents: Pick<AgentCatalog, "resolve" | "find">;
  /** For agents that name none. */
  readonly model?: string | Model | undefined;
  /** The operator's, whatever else is named; nothing where they leave it to others. */
  forcedModel?(): string | Model | undefined;
  /** How files are read where a run is; nothing where there are none. */
  attachment?(place: RunPlace): Promise<ReadAttachment | undefined>;
}

/** An agent that is about to work, and all that it begins with. */
export interface PreparedRun {
  readonly agent: Agent;
  /** The plugin that brought it. */
  readonly plugin?: string | undefined;
  readonly model: Model;
  /** What was said before, and what is asked now. */
  readonly history: readonly Message[];
  readonly message: Message;
}

/** Finds all that a run begins with. Rejects with what is missing, wrong or not allowed; nothing is left of it then. */
export async function prepareRun(run: AgentRun, request: RunRequest, deps: PrepareRunDeps): Promise<PreparedRun> {
  const { prompt, options = {} } = request;
  const { agent: found, source } = await find(request.agent, deps);
  const agent = request.judges ? toJudge(found) : found;
  checkAgent(agent);
  if (!request.byPlugin) checkVisible(agent, run.parent);
  if (run.parent) checkThere(agent, source?.plugin, run);
  const named = [deps.forcedModel?.(), options.model, agent.model, run.parent?.model, deps.model];
  // A prompt is no agent that anybody asks for again.
  const model = request.own
    ? await chooseModel(agent, named, deps.models)
    : await warmModel(run, { agent, plugin: source?.plugin, named }, deps);
  if (run.from) {
    const { messages, start } = run.from.state;
    return { agent, plugin: source?.plugin, model, history: messages, message: start.data.message };
  }
  const read = options.attachments ? await deps.attachment?.(toRunPlace(run)) : undefined;
  const message = await toFirstMessage(agent, prompt, options, read);
  const history = options.continue === undefined ? [] : await readHistory(options.continue, run);
  return { agent, plugin: source?.plugin, model, history, message };
}

/** Throws `denied` when the agent is not there for the one that asks for it. */
function checkVisible({ name, visibleFrom }: Agent, parent: AgentRun | undefined): void {
  if (!visibleFrom || !parent?.caller) return;
  const asker = agentIdentity(parent.caller.name, parent.caller.plugin);
  const names = visibleFrom.length === 0 ? ["main"] : visibleFrom;
  if (names.includes(asker) || (!parent.parent && names.includes("main"))) return;
  throw new PegboardError(
    "denied",
    `Agent "${name}" may be asked only by ${names.join(", ")} (visible_from_agents), not by agent "${asker}"`,
  );
}

/** Throws `not_found` for an agent of a plugin that waits for its tag: nobody but a person may know of it. */
function checkThere({ name }: Agent, plugin: string | undefined, { workbench }: AgentRun): void {
  if (plugin === undefined || !workbench.caller.tags?.isOff(plugin)) return;
  throw new PegboardError(
    "not_found",
    `Agent "${agentIdentity(name, plugin)}" belongs to plugin "${plugin}", which is not there until a prompt says +${plugin}`,
  );
}

async function find(
  asked: string | Agent,
  { agents }: PrepareRunDeps,
): Promise<Pick<AgentEntry, "agent"> & Partial<Pick<AgentEntry, "source">>> {
  return typeof asked === "string" ? agents.resolve(asked) : { agent: asked };
}

async function readHistory(before: string, { workbench, parent, chain }: AgentRun): Promise<readonly Message[]> {
  const events = await workbench.log.read();
  // Who is asked by an agent must not hear what another was told, or what the agent itself was.
  const isHere = ({ type, run, chain: other }: Event) =>
    type === "run-start" && run === before && canonicalJson(other ?? []) === canonicalJson(chain);
  const messages = !parent || events.some(isHere) ? foldTranscript(events, before) : undefined;
  if (messages) return messages;
  const where = parent ? `of ${chain.join(" > ")} ` : "";
  throw new PegboardError("not_found", `There is no run "${before}" ${where}in this session to go on with`);
}
