import type { Prompt, Resource, ToolContext } from "@pegboard/contract";
import { PegboardError } from "../../core/error.ts";
import { toFailedResult } from "../../core/result.ts";
import type { RequestOptions } from "./life.ts";
import type { CallContext } from "./pending-requests.ts";
import type { PluginTarget, SentPrompt, SentResource } from "./plugin-protocol.ts";

/** Calls a function of the plugin where its code runs. Rejects when it cannot. */
type Call = (target: PluginTarget, args: readonly unknown[], options?: RequestOptions) => Promise<unknown>;

/** A prompt whose code is elsewhere. What it yields is not checked here. */
export function toRemotePrompt({ completes, ...said }: SentPrompt, index: number, call: Call): Prompt {
  return {
    ...said,
    get: (given, { signal, client }) =>
      call({ kind: "prompt", index, name: "get" }, [given], { context: toContext(signal, client) }) as Promise<string>,
    ...(completes && {
      complete: (argument: string, value: string) =>
        call({ kind: "prompt", index, name: "complete" }, [argument, value], { loose: true }) as Promise<string[]>,
    }),
  };
}

/** A resource whose code is elsewhere. What it yields is not checked here. */
export function toRemoteResource(
  { watched, ...said }: SentResource,
  index: number,
  call: Call,
  watch: NonNullable<Resource["watch"]>,
): Resource {
  return {
    ...said,
    read: (uri, values, signal) =>
      call({ kind: "resource", index }, [uri, values], { context: toContext(signal) }) as Promise<string>,
    ...(watched && { watch }),
  };
}

/** Neither is a call of a tool: there is nothing that could hang below it. */
function toContext(signal: AbortSignal, client?: ToolContext["client"]): CallContext {
  return {
    signal,
    progress() {},
    call: async () => toFailedResult(new PegboardError("unavailable", "There is no call around this one")),
    ...(client && { client }),
  };
}
