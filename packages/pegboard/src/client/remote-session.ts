import type { Json, Result } from "@pegboard/contract";
import type { ApprovalAnswer } from "../core/approval.ts";
import type { Event } from "../core/event.ts";
import type { RunResult } from "../core/run-result.ts";
import type { ToolView } from "../core/tool-view.ts";
import type { CallerChoice, Prompt, ToolCall } from "../transports/native/command-types.ts";
import type { Channel } from "./channel.ts";
import { type FollowOptions, followSession } from "./follow-session.ts";

/** How work is asked for from afar. */
export interface WorkOptions {
  /** Leaves the work, which cancels it. */
  readonly signal?: AbortSignal;
  /** Is told what happens meanwhile: progress, approval requests, pieces of an answer. */
  readonly onEvent?: (event: Event) => void;
}

/** A session of a server. It mirrors the session of a runtime. */
export interface RemoteSession {
  readonly id: string;
  /** The tools that can be called. */
  list(options?: { readonly as?: CallerChoice }): Promise<readonly ToolView[]>;
  /** Calls a tool. A call that fails is a result with an error. */
  call(tool: string, input?: Json, options?: WorkOptions & Omit<ToolCall, "tool" | "input">): Promise<Result>;
  /** Asks an agent: the conversation of this session with it goes on. */
  prompt(prompt: Json, options?: WorkOptions & Omit<Prompt, "prompt" | "background">): Promise<RunResult>;
  /** Answers an approval request. The first answer counts. */
  answer(approval: string, answer: ApprovalAnswer): Promise<void>;
  /** Cancels a call, a run or a task, or everything. How many there were. */
  cancel(id?: string): Promise<number>;
  events(options?: FollowOptions): AsyncGenerator<Event, void, undefined>;
  /** Closes it at the server; its log stays. */
  close(): Promise<void>;
}

/** Makes the view of a session that the server has. */
export function createRemoteSession(channel: Channel, session: string): RemoteSession {
  return {
    id: session,
    list: async (options = {}) => (await channel.send("tools.list", options, { session })).tools,
    call: (tool, input = {}, { signal, onEvent, ...call } = {}) =>
      finish(channel.stream("tools.call", { tool, input, ...call }, { session, ...(signal && { signal }) }), onEvent),
    async prompt(prompt, { signal, onEvent, ...options } = {}) {
      const work = channel.stream("prompt", { prompt, ...options }, { session, ...(signal && { signal }) });
      return (await finish(work, onEvent)) as RunResult;
    },
    answer: async (approval, answer) => void (await channel.send("approval.answer", { approval, ...answer })),
    cancel: async (id) => (await channel.send("cancel", id === undefined ? {} : { id }, { session })).cancelled,
    events: (options) => followSession(channel, session, options),
    close: async () => void (await channel.send("session.close", {}, { session })),
  };
}

async function finish<Answer>(
  work: AsyncGenerator<Event, Answer, undefined>,
  onEvent: ((event: Event) => void) | undefined,
): Promise<Answer> {
  for (;;) {
    const next = await work.next();
    if (next.done) return next.value;
    onEvent?.(next.value);
  }
}
