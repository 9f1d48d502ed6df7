import type { Json, Plugin, PluginHost, PluginTool, ToolContext } from "@pegboard/contract";
import { PegboardError } from "../../core/error.ts";
import { createPluginHost, type OwnedHost, type PluginHostDeps } from "../../plugins/plugin-host.ts";
import type { PluginRequest, PluginTarget, SentReturn, ToPlugin } from "./plugin-protocol.ts";
import { fromSentValue, toSentError, toSentValue, toWholeValue } from "./sent-value.ts";
import { createWatches } from "./watches.ts";

/** The context of a call, as far as the inside has it. */
export type CallSide = Pick<ToolContext, "signal" | "progress" | "call" | "client">;

/** A plugin in the process that its code runs in. */
export interface PluginSide {
  /** Calls one of its functions. Never rejects. */
  call(request: PluginRequest, side: CallSide): Promise<SentReturn>;
  /** The settings are others now. */
  configure(settings: Json): void;
  /** Somebody wants to know when a resource changes, or no longer. */
  watch(message: ToPlugin & { readonly type: "watch" | "unwatch" }): void;
  /** It is about to be stopped. */
  end(): void;
}

/** A step that took the whole process for so long is told. */
const BLOCKED_MS = 250;

/** What the inner side of a plugin passes on. */
export interface PluginSideDeps extends PluginHostDeps {
  /** What a watch is for has changed. */
  watched(watch: number): void;
}

/** Makes the inner side of a plugin: its host, its state and its hooks are here. */
export function createPluginSide(plugin: Plugin, deps: PluginSideDeps): PluginSide {
  const watches = createWatches(plugin.resources ?? [], deps.watched);
  let owned: OwnedHost | undefined;
  let hooks: Readonly<Record<string, unknown>> = {};

  const need = (): OwnedHost => {
    if (owned) return owned;
    throw new PegboardError("unavailable", `Plugin "${plugin.name}" is not registered`);
  };

  async function register(settings: Json): Promise<SentReturn> {
    owned = createPluginHost(plugin.name, settings, deps);
    const begun = performance.now();
    const returning = plugin.register?.(owned.host);
    const ms = performance.now() - begun;
    if (ms >= BLOCKED_MS) console.error(`register held up its process for ${(ms / 1000).toFixed(1)} seconds`);
    const returned: unknown = await returning;
    if (typeof returned !== "object" || returned === null) return { returned: toSentValue(returned ?? undefined) };
    hooks = returned as Readonly<Record<string, unknown>>;
    const { priority } = hooks;
    return { hooks: { names: functionsOf(hooks), ...(typeof priority === "number" && { priority }) } };
  }

  function find(
    target: PluginTarget,
    lent: { readonly meta: PluginRequest["meta"]; readonly side: CallSide },
  ): (...args: any[]) => unknown {
    switch (target.kind) {
      case "step":
        return (...args) => call(plugin[target.name], plugin, need().host, ...args);
      case "handler": {
        const tool = plugin.tools?.[target.index] as PluginTool | undefined;
        const { signal, progress } = lent.side;
        const meta = Object.freeze({ ...lent.meta, signal, progress });
        return (input) => call(tool?.handler, tool, hostDuring(need(), lent.side), input, meta);
      }
      case "hook":
        return (...args) => call(hooks[target.name], hooks, ...args);
      case "skill": {
        const skill = plugin.skills?.[target.index];
        return (...args) => call(skill?.[target.name], skill, ...args);
      }
      case "prompt": {
        const prompt = plugin.prompts?.[target.index];
        const { signal, client } = lent.side;
        const context = Object.freeze({ signal, ...(client && { client }) });
        return (...args) => call(prompt?.[target.name], prompt, ...args, ...(target.name === "get" ? [context] : []));
      }
      case "resource": {
        const resource = plugin.resources?.[target.index];
        return (...args) => call(resource?.read, resource, ...args, lent.side.signal);
      }
    }
  }

  return {
    async call({ target, args, meta }, side) {
      try {
        const given = args.map(fromSentValue);
        if (target.kind === "step" && target.name === "register") return await register(given[0] as Json);
        const value = await find(target, { meta, side })(...given);
        const isPresented = target.kind === "prompt" || target.kind === "resource";
        return { returned: isPresented ? toWholeValue(value) : toSentValue(value) };
      } catch (error) {
        return { thrown: toSentError(error) };
      }
    },
    configure: (settings) => owned?.configure(settings),
    watch: (message) => (message.type === "watch" ? watches.begin(message) : watches.end(message.watch)),
    end: () => owned?.end(),
  };
}

function call(value: unknown, owner: unknown, ...args: readonly unknown[]): unknown {
  if (typeof value === "function") return Reflect.apply(value, owner, args) as unknown;
  throw new PegboardError("unavailable", "The plugin no longer has this function");
}

// Of the context only this is used: what the host does during a call goes through the call.
function hostDuring(owned: OwnedHost, side: CallSide): PluginHost {
  return owned.during(side as ToolContext);
}

/** The names of all functions that an object or its class has. */
function functionsOf(object: object): string[] {
  const names = new Set<string>();
  for (let at: object | null = object; at && at !== Object.prototype; at = Object.getPrototypeOf(at) as object | null)
    for (const name of Object.getOwnPropertyNames(at)) if (name !== "constructor") names.add(name);
  return [...names].filter((name) => typeof (object as Readonly<Record<string, unknown>>)[name] === "function");
}
