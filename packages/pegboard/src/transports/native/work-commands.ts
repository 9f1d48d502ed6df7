import type { Event } from "../../core/event.ts";
import type { RunOptions, Run } from "../../core/run.ts";
import type { RunResult } from "../../core/run-result.ts";
import type { Session } from "../../core/session.ts";
import { answerSchema, type CommandContext, type CommandsOf, objectSchema } from "./command.ts";
import type { Prompt } from "./command-types.ts";
import { createFamily } from "../family.ts";
import { followEvents } from "../follow.ts";

const RUN = answerSchema({ run: { type: "string" }, session: { type: "string" } });
const MODEL = { type: "string", description: "provider:model, or an alias, over the agent's own" };

/** What agents and tools are asked to do, and how that is ended. */
export const WORK_COMMANDS: CommandsOf<"prompt" | "run.resume" | "cancel" | "tools.call"> = {
  prompt: {
    description: "Asks an agent: the conversation of the session with it goes on",
    session: "required",
    streams: true,
    works: true,
    params: objectSchema(
      {
        prompt: { description: "Text, or what the agent's input schema takes" },
        agent: { type: "string", description: "The agent's name; assistant when absent" },
        model: MODEL,
        continue: { type: ["string", "null"], description: "The run to go on with; null starts clean" },
        attachments: { type: "array", items: { type: "object" } },
        maxTurns: { type: "integer", minimum: 1 },
        budget: { type: "object" },
        background: { type: "boolean", description: "Answers once the run has begun, which outlives the connection" },
      },
      ["prompt"],
    ),
    result: RUN,
    handle: async (params, context) => {
      const session = await context.session();
      if (!params.background) return tellRun(await ask(params, context, session, context.signal), session, context);
      const work = context.desk.enter(context.principal);
      const started = ask(params, context, session);
      const leave = () => work[Symbol.dispose]();
      void started.then((run) => run.result).then(leave, leave);
      return { run: (await started).id, session: session.id };
    },
  },
  "run.resume": {
    description: "Goes on with a run whose process ended, by default the newest",
    session: "required",
    streams: true,
    works: true,
    params: objectSchema({ run: { type: "string" }, model: MODEL }),
    result: RUN,
    handle: async ({ run, model }, context) => {
      const session = await context.session();
      const resumed = await session.resume(run, { signal: context.signal, ...(model !== undefined && { model }) });
      return tellRun(resumed, session, context);
    },
  },
  cancel: {
    description: "Ends a call, a run, a task or another command of the connection; without an id all of the session",
    session: "required",
    params: objectSchema({ id: { type: ["string", "number"] } }),
    result: answerSchema({ cancelled: { type: "integer" }, message: { type: "string" } }),
    handle: async ({ id }, { session, cancelCommand }) => {
      const command = id !== undefined && cancelCommand?.(id) ? 1 : 0;
      const cancelled = command + (await session()).cancel(id === undefined ? undefined : String(id));
      const message = cancelled > 0 ? `${cancelled} cancelled` : "There is nothing to cancel";
      return { cancelled, message };
    },
  },
  "tools.call": {
    description: "Calls a tool",
    session: "required",
    streams: true,
    works: true,
    params: objectSchema(
      {
        tool: { type: "string" },
        input: { description: "What the tool's input schema takes; {} when absent" },
        call: { type: "string", minLength: 1, maxLength: 128, description: "Names the call, for cancel" },
        as: { enum: ["model", "user"] },
      },
      ["tool"],
    ),
    result: answerSchema({
      ok: { type: "boolean" },
      content: { type: "array", items: { type: "object" } },
      meta: { type: "object" },
    }),
    handle: async ({ tool, input = {}, call: id = crypto.randomUUID(), as }, context) => {
      const session = await context.session();
      const make = () => session.call(tool, input, { id, signal: context.signal, ...(as && { as }) });
      return tellEvents(id, make, session, context);
    },
  },
};

async function ask(params: Prompt, context: CommandContext, session: Session, signal?: AbortSignal): Promise<Run> {
  const { prompt, agent = "assistant", model, continue: before, attachments, maxTurns, budget } = params;
  const chosen = {
    ...(model !== undefined && { model }),
    ...(attachments && { attachments }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(budget && { budget }),
    ...(signal && { signal }),
  } satisfies RunOptions;
  const { chats } = context;
  const chat = before === undefined ? await chats.find(session, agent) : chats.begin(session, agent, before);
  return chat.send(prompt, chosen);
}

function tellRun(run: Run, session: Session, context: CommandContext): Promise<RunResult> {
  return tellEvents(run.id, () => run.result, session, context);
}

/** Tells what happens to a call or run until its outcome is there. */
async function tellEvents<Outcome>(
  id: string,
  work: () => Promise<Outcome>,
  session: Session,
  { emit, desk }: CommandContext,
): Promise<Outcome> {
  if (!emit) return work();
  const over = Promise.withResolvers<void>();
  const events = followEvents({
    session,
    read: (from, limit) => desk.runtime.store.read({ session: session.id, from, limit }),
    belongs: createFamily(id),
    until: over.promise,
  });
  const outcome = work().finally(over.resolve);
  await tell(events, emit);
  return outcome;
}

async function tell(events: AsyncIterable<Event>, emit: NonNullable<CommandContext["emit"]>): Promise<void> {
  // Without a wait where there is room: every turn of the loop costs.
  for await (const event of events) {
    const room = emit(event);
    if (room) await room;
  }
}
