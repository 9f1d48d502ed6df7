import type { Json, PluginHost, Result, ToolContext } from "@pegboard/contract";
import { messageOf, PegboardError } from "../core/error.ts";
import { toFailedResult } from "../core/result.ts";

/** How an agent is run for a plugin. */
export type RunForPlugin = NonNullable<Parameters<PluginHost["run"]>[1]>;

/** How one plugin acts by itself. */
export interface PluginActs {
  /** Calls a tool as the plugin. Never rejects. */
  call(tool: string, input: Json, signal: AbortSignal): Promise<Result>;
  /** Runs an agent as the plugin, below the call when there is one. Rejects when the run fails. */
  run(prompt: string, options: RunForPlugin, signal: AbortSignal, context?: ToolContext): Promise<string>;
  /** Ends what still runs and lets go of what it needed. Never rejects. */
  close(): Promise<void>;
}

/** What a host passes on. */
export interface PluginHostDeps extends Pick<PluginActs, "call" | "run"> {
  broadcast(topic: string, data: Json): void;
  report(status: "healthy" | "degraded", reason: string | undefined): void;
}

/** A host, and what only its owner may do with it. */
export interface OwnedHost {
  readonly host: PluginHost;
  /** The host as a handler gets it: what it starts hangs below the call, with no more rights than that one has. */
  during(context: ToolContext): PluginHost;
  configure(settings: Json): void;
  /** Fires the signal. What the plugin asks for from now on is refused. */
  end(): void;
}

/** Makes the host of one plugin, for one time from `register` to `stop`. */
export function createPluginHost(name: string, first: Json, deps: PluginHostDeps): OwnedHost {
  const controller = new AbortController();
  const { signal } = controller;
  const ended = () => new PegboardError("unavailable", `Plugin "${name}" is stopped`);
  let settings = freeze(first);
  const report: PluginHost["report"] = (status, reason) => {
    if (!signal.aborted) deps.report(status, reason === undefined ? undefined : String(reason));
  };
  const state = new Map<string, unknown>();
  const background: PluginHost["background"] = (work, run) => {
    if (signal.aborted) return;
    // A moment later, so that what it throws at once is its own too.
    void Promise.resolve()
      .then(() => run(signal))
      .catch((error: unknown) => report("degraded", `${work} failed: ${messageOf(error)}`));
  };
  const broadcast: PluginHost["broadcast"] = (topic, data) => {
    if (!signal.aborted) deps.broadcast(String(topic), data);
  };
  const make = (call: PluginHost["call"], context?: ToolContext): PluginHost =>
    Object.freeze({
      name,
      get settings() {
        return settings;
      },
      state,
      signal,
      report,
      background,
      call,
      async run(prompt: string, options: RunForPlugin = {}) {
        if (signal.aborted) throw ended();
        return deps.run(prompt, options, signal, context);
      },
      broadcast,
    });
  return {
    host: make(async (tool, input) =>
      signal.aborted ? toFailedResult(ended()) : deps.call(String(tool), input, signal),
    ),
    during: (context) => make(context.call, context),
    configure: (next) => void (settings = freeze(next)),
    end: () => controller.abort(ended()),
  };
}

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}
