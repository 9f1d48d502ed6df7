import type { Json, Result } from "@pegboard/contract";
import { PegboardError } from "../../core/error.ts";
import type { Decision } from "../../core/policy.ts";
import type { Session } from "../../core/session.ts";
import { policyFile } from "../../node/policy-file.ts";
import type { Workspace } from "../../node/workspace.ts";
import type { CommandInput } from "../command.ts";
import { EXIT, exitCodeOf } from "../exit-code.ts";
import { readInput } from "../input.ts";
import { interruptible } from "../interrupt.ts";
import { followProgress } from "../progress.ts";
import { showResult } from "../result.ts";
import { visibleLine } from "../terminal.ts";
import { reopenTrusted } from "../trusted.ts";
import { announceApprovals } from "../waiting.ts";
import { closeWorkspace, type Opened, openFor } from "../workspace.ts";

/** Calls a tool as the person at the command line. The exit code says how it went. */
export async function call(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  if (options["server"] !== undefined) return (await import("../remote/call.ts")).callAtServer(input);
  const [asked, pairs] = input.arguments as [string, readonly string[]];
  const { input: whole, session: id } = options as { input?: string; session?: string };
  const { workspace, settings, tooStrict } = await openToCall(input, asked);
  try {
    if (tooStrict)
      throw new PegboardError("invalid_definition", `"${asked}" was not called: not everything loaded (--strict)`);
    const name = findTool(workspace, asked);
    if (name !== asked) terminal.note(`Calling ${name}`);
    const value = await readInput(pairs, whole, workspace.tools.find(name)?.input.json);
    const session = workspace.open({ as: "user", client: "cli", ...(id !== undefined && { id }) });
    const from = id === undefined ? 1 : await nextEvent(workspace, id);
    const announced = new AbortController();
    if (settings.approve.value === "wait")
      void announceApprovals(session, { from, signal: announced.signal }, terminal);
    const { result, stuck } = await interruptible((signal) =>
      callAndFollow(session, name, value, { from, signal, ...input }),
    );
    announced.abort();
    showResult(result, terminal, options.json === true);
    if (stuck) terminal.warn(`warning: "${name}" was waiting for something that can no longer happen`);
    const nobodyAsked = settings.approve.value === undefined && !terminal.interactive;
    const explained = nobodyAsked && result.error?.code === "denied" ? await session.explain(name, value) : undefined;
    if (explained?.decision === "ask") terminal.note(howToAllow(name, explained, policyFile(settings.home.value)));
    if (!result.error) return EXIT.done;
    return stuck ? EXIT.failed : exitCodeOf(result.error.code);
  } finally {
    await closeWorkspace(workspace, terminal);
  }
}

/** Opens the workspace, and asks for trust when the tool may be among what is held back. */
async function openToCall(input: CommandInput, asked: string): Promise<Opened> {
  const opened = await openFor(input);
  const { workspace } = opened;
  const isHere = workspace.held.length === 0 || candidates(workspace, asked).length > 0;
  return isHere ? opened : reopenTrusted(opened, input);
}

/** The full name of the tool that a person means: a bare name will do where it is the only one. */
function findTool(workspace: Workspace, asked: string): string {
  const found = candidates(workspace, asked);
  if (found.length <= 1) return found[0] ?? asked;
  throw new PegboardError("invalid_config", `"${asked}" may be any of ${found.join(", ")}: write the whole name`);
}

function candidates({ tools }: Workspace, asked: string): readonly string[] {
  return tools.find(asked) ? [asked] : tools.names().filter((name) => name.endsWith(`__${asked}`));
}

async function nextEvent({ store }: Workspace, session: string): Promise<number> {
  const [newest] = await store.read({ session, last: 1 });
  return (newest?.seq ?? 0) + 1;
}

interface Following extends CommandInput {
  readonly from: number;
  readonly signal: AbortSignal;
}

async function callAndFollow(
  session: Session,
  name: string,
  value: Json,
  { from, signal, terminal, options }: Following,
): Promise<Result> {
  const id = crypto.randomUUID();
  if (options.quiet) return session.call(name, value, { id, signal });
  const following = followProgress(session, { call: id, from }, (line) => terminal.note(`… ${visibleLine(line)}`));
  const result = await session.call(name, value, { id, signal });
  // Without a record there is no end to wait for.
  if (result.meta["unrecorded"] === undefined) await following.done;
  following.stop();
  return result;
}

function howToAllow(name: string, { firm, suggestions, votes }: Decision, rulesFile: string): string {
  const judged = votes.some((vote) => vote.suggestions !== undefined);
  if (firm || (judged && !suggestions?.length))
    return "Run it in a terminal to be asked, or add --approve all to allow it this once";
  const rules = suggestions?.map((pattern) => `{ pattern: ${JSON.stringify(pattern)}, approval: preApproved }`);
  const rule = rules ? `shell: { rules: [${rules.join(", ")}] }` : `- { tool: ${name}, approval: preApproved }`;
  return `Run it in a terminal to be asked, add --approve all to allow it this once, or add this rule to ${rulesFile}:
    ${rule}`;
}
