import type { Hooks, Plugin, PluginHost, PluginTool, Skill, ThreadHooks } from "@pegboard/contract";
import { PegboardError } from "../../core/error.ts";
import type { AnyTool } from "../../core/registry.ts";
import type { PluginRecipe } from "../load-recipe.ts";
import { toClientView } from "./client-line.ts";
import type { Isolate } from "./isolate.ts";
import type { Life, RequestOptions } from "./life.ts";
import type { PluginRequest, PluginTarget, SentParts, SentReturn, SentSkill } from "./plugin-protocol.ts";
import type { SentDefinition } from "./protocol.ts";
import { type RemotePlace, toRemoteTool } from "./remote-tool.ts";
import { toRemotePrompt, toRemoteResource } from "./remote-presented.ts";
import { fromSentError, fromSentValue, toSentValue } from "./sent-value.ts";

/** What a plugin whose code is elsewhere is made of. */
export interface RemotePluginDeps {
  readonly isolate: Isolate;
  readonly recipe: PluginRecipe;
  /** The definitions of those of its tools that have no handler. */
  readonly definitions: readonly SentDefinition[];
  /** Calls the listener whenever the settings of the plugin may have changed. */
  onChange(listener: () => void): Disposable;
}

/** The plugin from `register` to `stop`: one run of the process. */
interface Up {
  readonly life: Life;
  readonly host: PluginHost;
  /** The settings that it was told last. */
  settings: unknown;
  /** The step that is under way. */
  step?: symbol | undefined;
  stopping?: boolean;
}

const STOP_MS = 10_000;

/**
 * A plugin whose code runs in a process of its own, from `register` to `stop`. It has the functions that the plugin has and
 * passes every call on. When the process ends by itself, the plugin is degraded, every call of it fails, and so do its
 * hooks; enabled anew, it has another process.
 */
export function toRemotePlugin(sent: SentParts, deps: RemotePluginDeps): Plugin {
  const { isolate, recipe, definitions } = deps;
  const { tools, skills, prompts, resources, steps, ...plain } = sent;
  let current: Up | undefined;

  const need = (): Up => {
    if (!current) throw new PegboardError("unavailable", `Plugin "${sent.name}" does not run`);
    if (current.life.isOver)
      throw new PegboardError("unavailable", `The process of plugin "${sent.name}" has ended. ${ANEW}`);
    return current;
  };

  async function ask(up: Up, target: PluginTarget, args: readonly unknown[], given: Asked = {}): Promise<SentReturn> {
    const { meta, ...options } = given;
    const { client } = options.context ?? {};
    tellSettings(up);
    const values = args.map(toSentValue);
    const request: PluginRequest = {
      type: "plugin",
      recipe,
      target,
      args: values,
      ...(meta && { meta }),
      ...toClientView(client),
    };
    const returned = Object((await up.life.request(request, options)) as SentReturn) as SentReturn;
    if (returned.thrown) throw fromSentError(returned.thrown);
    return returned;
  }

  async function call(target: PluginTarget, args: readonly unknown[], given?: Asked): Promise<unknown> {
    const { returned = {} } = await ask(need(), target, args, given);
    return fromSentValue(returned);
  }

  async function step(
    up: Up,
    name: "register" | "start" | "onStartFailed",
    args: readonly unknown[],
  ): Promise<SentReturn> {
    const mine = (up.step = Symbol(name));
    try {
      return await ask(up, { kind: "step", name }, args, { loose: true });
    } finally {
      if (up.step === mine) up.step = undefined;
    }
  }

  async function register(host: PluginHost): Promise<Hooks | ThreadHooks | void> {
    const life = await isolate.enter(recipe);
    const up: Up = { life, host, settings: host.settings };
    current = up;
    life.lend(host, (why) => host.report("degraded", `${why}. ${ANEW}`));
    const watching = deps.onChange(() => tellSettings(up));
    const ended = () => {
      watching[Symbol.dispose]();
      life.tell({ type: "stopping" });
      // Whoever lets go of the host asks for `stop` in the same turn, if at all.
      queueMicrotask(() => {
        if (!up.stopping) void leave(up);
      });
    };
    if (host.signal.aborted) ended();
    else host.signal.addEventListener("abort", ended, { once: true });
    const { hooks, returned } = await step(up, "register", [host.settings]);
    return hooks ? toHooks(hooks) : (fromSentValue(returned ?? {}) as undefined);
  }

  async function stop(): Promise<void> {
    const up = current;
    if (!up || up.life.isOver) return;
    up.stopping = true;
    try {
      await ask(up, { kind: "step", name: "stop" }, [], { timeoutMs: STOP_MS });
    } finally {
      void leave(up);
    }
  }

  /** A step that nobody waits for any more must not go on. */
  async function leave(up: Up): Promise<void> {
    if (current === up) current = undefined;
    if (!up.life.isOver) await isolate.renew(up.step === undefined ? "quiet" : "now");
  }

  function toHooks({ names, priority }: NonNullable<SentReturn["hooks"]>): Hooks {
    const hook = (name: string) => [name, (...args: unknown[]) => call({ kind: "hook", name }, args, { loose: true })];
    // An object with `then` would be taken for a promise.
    const known = names.filter((name) => /^[A-Za-z]{1,64}$/.test(name) && name !== "then").slice(0, MOST_HOOKS);
    return { ...Object.fromEntries(known.map(hook)), ...(priority !== undefined && { priority: Number(priority) }) };
  }

  const place: RemotePlace = {
    prepare: async () => void need(),
    execute: async (tool, input, context, instance) => (need(), isolate.execute(tool, input, context, instance)),
    ask: async (type, tool, input) => (need(), isolate.ask(type, tool, input)),
    open: async (tool, session) => (need(), isolate.open(tool, session)),
  };

  function toTool(tool: NonNullable<SentParts["tools"]>[number], index: number): AnyTool | PluginTool {
    if ("index" in tool) return toRemoteTool(definitions[tool.index]!, place, recipe, tool.index);
    return {
      ...tool,
      handler: async (host, input, { threadId, traceId, taskId, signal, progress }) =>
        call({ kind: "handler", index }, [input], {
          meta: { threadId, traceId, ...(taskId !== undefined && { taskId }) },
          context: { signal, progress, call: host.call, run: host.run },
        }) as Promise<string>,
    };
  }

  function toSkill({ has, ...skill }: SentSkill, index: number): Skill {
    const to =
      (name: "read" | "list" | "readFile") =>
      (...args: unknown[]) =>
        call({ kind: "skill", index, name }, args);
    return {
      ...skill,
      read: to("read") as Skill["read"],
      ...(has.includes("list") && { list: to("list") as NonNullable<Skill["list"]> }),
      ...(has.includes("readFile") && { readFile: to("readFile") as NonNullable<Skill["readFile"]> }),
    };
  }

  return {
    ...plain,
    ...(tools && { tools: tools.map(toTool) }),
    ...(skills && { skills: skills.map(toSkill) }),
    ...(prompts && { prompts: prompts.map((prompt, index) => toRemotePrompt(prompt, index, call)) }),
    ...(resources && {
      resources: resources.map((resource, index) =>
        toRemoteResource(resource, index, call, (uri, changed) => need().life.watch(index, uri, changed)),
      ),
    }),
    register,
    ...(steps.includes("start") && { start: async () => void (await step(need(), "start", [])) }),
    ...(steps.includes("onStartFailed") && {
      onStartFailed: async (_, error) => void (await step(need(), "onStartFailed", [toError(error)])),
    }),
    ...(steps.includes("stop") && { stop }),
  };
}

type Asked = RequestOptions & Pick<PluginRequest, "meta">;

const ANEW = "Enable the plugin again to start it anew";
const MOST_HOOKS = 100;

function tellSettings(up: Up): void {
  const { settings } = up.host;
  if (settings === up.settings) return;
  up.settings = settings;
  up.life.tell({ type: "settings", settings });
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
