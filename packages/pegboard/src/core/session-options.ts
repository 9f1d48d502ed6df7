import type { CallClient, CallerKind, Json, SessionView } from "@pegboard/contract";
import type { ApproveMode, Approver } from "./approval.ts";
import { type Caller, toCallingAgent } from "./caller.ts";
import { PegboardError } from "./error.ts";
import { copyJson } from "./json.ts";
import type { AnyTool } from "./registry.ts";

/** How a session is opened. */
export interface SessionOptions {
  /** Letters, digits, `-` and `_`; by default a random one. An id that the store knows goes on with its log. */
  readonly id?: string;
  readonly principal?: string;
  /** The program that calls, as rules name it. */
  readonly client?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly metadata?: Readonly<Record<string, Json>>;
  /** The agent on whose behalf all calls are made: its `tools` list is what it sees. */
  readonly agent?: {
    readonly name: string;
    readonly tools?: readonly string[];
    readonly plugin?: string;
    readonly chain?: readonly string[];
  };
  /** The plugin that acts by itself in it: its own hooks take no part. */
  readonly plugin?: string;
  /** Who calls unless a call says otherwise. */
  readonly as?: CallerKind;
  readonly approver?: Approver;
  /** By default `ask` where there is an approver, else `none`. */
  readonly approve?: ApproveMode;
  /** Tools of this session alone. */
  readonly tools?: readonly AnyTool[];
  /** How much text of a result callers get; can only lower the limit that holds anyway. */
  readonly resultCharacters?: number;
}

/** How a tool is called. */
export interface CallOptions {
  /** Names the call, for `cancel`; by default a random id. */
  readonly id?: string;
  readonly signal?: AbortSignal;
  readonly as?: "model" | "user";
  /** Whom the tool can ask. */
  readonly client?: CallClient;
  /**
   * Through whom the call was allowed before it was made, for the log. It stands for the answer to this call, not to those
   * that it makes, and for the input as it is given here: one that a hook changes is asked about.
   */
  readonly approved?: string;
  /**
   * Is asked when the call is cancelled while it waits for approval: whether somebody may come back with the answer after
   * this process. The log then has none.
   */
  readonly staysAsked?: () => boolean;
}

/** Whose call is explained. */
export interface ExplainOptions {
  readonly as?: "model" | "user";
  /** As if this agent called. */
  readonly agent?: SessionOptions["agent"];
}

/** Who may be asked in a session. Throws `invalid_config` when nobody is there whom it could ask. */
export function toApproveMode({ approve, approver }: SessionOptions): ApproveMode {
  if (approve === "ask" && !approver) {
    throw new PegboardError(
      "invalid_config",
      `Approve mode "ask" needs an approver: pass one, or choose "none", "all" or "wait"`,
    );
  }
  return approve ?? (approver ? "ask" : "none");
}

/** Who calls in a session unless a call says otherwise. */
export function toSessionCaller(options: SessionOptions, approveMode: ApproveMode): Caller {
  const { as = "model", principal = "local", client = "library", cwd = "/", agent } = options;
  return {
    kind: as,
    principal,
    client,
    cwd,
    interactive: approveMode === "ask" || approveMode === "wait",
    ...(agent && { agent: toCallingAgent(agent) }),
  };
}

/** The session as its tools see it, frozen. */
export function toSessionView(id: string, { cwd = "/", env, metadata }: SessionOptions): SessionView {
  return Object.freeze({
    id,
    cwd,
    env: env ? Object.freeze({ ...env }) : NOTHING,
    metadata: metadata ? (Object.freeze(copyJson(metadata)) as SessionView["metadata"]) : NOTHING,
  });
}

const NOTHING = Object.freeze({});
