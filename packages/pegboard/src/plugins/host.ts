import type { Hooks, Json, Plugin } from "@pegboard/contract";
import { messageOf, PegboardError } from "../core/error.ts";
import { copyJson } from "../core/json.ts";
import { nameProblem } from "../core/name.ts";
import type { Registry } from "../core/registry.ts";
import { compileSchema, describeProblems } from "../core/schema.ts";

interface Enabled {
  readonly plugin: Plugin;
  readonly hooks: Hooks | undefined;
  readonly tools: Disposable;
}

/** The plugins of a runtime. What a plugin brought leaves with it. */
export class Plugins {
  readonly #registry: Registry;
  readonly #enabled = new Map<string, Enabled>();
  #hooks: readonly Hooks[] = [];

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  get names(): readonly string[] {
    return [...this.#enabled.keys()];
  }

  /** The hooks of all plugins, in the order in which they were enabled. */
  get hooks(): readonly Hooks[] {
    return this.#hooks;
  }

  /** Registers a plugin, makes its tools visible, starts it. When any of it fails, nothing of the plugin stays. */
  async enable(plugin: Plugin, settings: Json = {}): Promise<void> {
    const problem = nameProblem(plugin.name);
    if (problem)
      throw new PegboardError(
        "invalid_definition",
        `The plugin's name ${JSON.stringify(plugin.name)} is refused: it ${problem}`,
      );
    if (this.#enabled.has(plugin.name))
      throw new PegboardError("duplicate", `Plugin "${plugin.name}" is enabled already`);
    const host = { settings: await checkSettings(plugin, settings) };
    const hooks = (await attempt(plugin, "register", () => plugin.register?.(host))) ?? undefined;
    const tools = this.#registry.register(plugin.tools ?? [], {
      layer: "plugin",
      prefix: plugin.name,
      source: { kind: "plugin", id: plugin.name, plugin: plugin.name },
    });
    this.#enabled.set(plugin.name, { plugin, hooks, tools });
    this.#collectHooks();
    try {
      await attempt(plugin, "start", () => plugin.start?.(host));
    } catch (error) {
      this.#remove(plugin.name);
      throw error;
    }
  }

  /** Takes a plugin away: its tools and hooks first, then `stop`. Whether there was one. */
  async disable(name: string): Promise<boolean> {
    const enabled = this.#remove(name);
    if (enabled) await attempt(enabled.plugin, "stop", () => enabled.plugin.stop?.());
    return enabled !== undefined;
  }

  #remove(name: string): Enabled | undefined {
    const enabled = this.#enabled.get(name);
    this.#enabled.delete(name);
    enabled?.tools[Symbol.dispose]();
    this.#collectHooks();
    return enabled;
  }

  #collectHooks(): void {
    this.#hooks = [...this.#enabled.values()].flatMap(({ hooks }) => hooks ?? []);
  }
}

async function checkSettings({ name, settingsSchema }: Plugin, settings: Json): Promise<Json> {
  const copy = copyJson(settings);
  if (!settingsSchema) return copy;
  const checked = await compileSchema(settingsSchema, { foreign: true }).check(copy);
  if (checked.ok) return checked.value as Json;
  throw new PegboardError(
    "invalid_config",
    `The settings of plugin "${name}" are not valid:\n${describeProblems(checked.problems)}`,
  );
}

async function attempt<T>({ name }: Plugin, step: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new PegboardError("unavailable", `Plugin "${name}" failed in ${step}: ${messageOf(error)}`, { cause: error });
  }
}
