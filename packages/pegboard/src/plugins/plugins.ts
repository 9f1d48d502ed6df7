import type { Json } from "@pegboard/contract";
import { PegboardError } from "../core/error.ts";
import { tellHooks } from "../core/hooks/observe.ts";
import type { HookFailure } from "../core/hooks/run-hook.ts";
import { type HookOwner, toHookTable } from "../core/hooks/table.ts";
import { cloneJson, copyJson } from "../core/json.ts";
import { nearest } from "../core/nearest.ts";
import type { PluginOrigin } from "./loaded-plugin.ts";
import type { PluginDeps, PluginEntry } from "./plugin-entry.ts";
import type { LifeDeps, PluginLife } from "./plugin-life.ts";
import { type PluginView, toPluginView } from "./plugin-view.ts";
import type { SwitchedOff } from "./shelves.ts";
import type { Taken } from "./take-plugin.ts";

// Most runtimes have no plugins.
const taking = () => import("./take-plugin.ts");

/**
 * The plugins of a runtime. What goes wrong with one is its status and concerns no other; what it brought leaves with it.
 * Methods that take a name throw `not_found` when there is no such plugin.
 */
export class Plugins {
  readonly #deps: LifeDeps;
  readonly #lives = new Map<string, PluginLife>();
  /** What could not be taken, so that people see why. */
  #refused: readonly PluginView[] = [];
  #listeners: readonly (() => void)[] = [];
  #hooks: readonly HookOwner[] = [];
  /** Whether nothing has changed since the hooks were gathered. */
  #looked = true;
  #tagged: ReadonlySet<string> | undefined;
  #closing: Promise<void> | undefined;

  constructor(deps: PluginDeps) {
    this.#deps = {
      ...deps,
      changed: () => this.#changed(),
      broadcast: (from, topic, data) => this.#broadcast(from, topic, data),
    };
  }

  /** The hooks of all plugins, in the order in which they were added. The same list as long as nothing changes. */
  get hooks(): readonly HookOwner[] {
    if (this.#looked) return this.#hooks;
    this.#looked = true;
    const now = [...this.#lives.values()].flatMap(({ hooks }) => hooks ?? []);
    const same = now.length === this.#hooks.length && now.every((owner, index) => owner === this.#hooks[index]);
    return same ? this.#hooks : (this.#hooks = now);
  }

  /** The plugins that a session sees nothing of until a prompt says their tag. The same set as long as nothing changes. */
  get tagged(): ReadonlySet<string> {
    return (this.#tagged ??= new Set(
      Array.from(this.#lives.values(), ({ plugin }) => plugin).flatMap(({ name, activation }) =>
        activation === "tagged" ? name : [],
      ),
    ));
  }

  /**
   * Adds plugins: all are registered, then all are started. What is wrong with one is its status; one that is not well-formed,
   * or whose name is taken, is listed as failed. Rejects only when the runtime is closed, with `unavailable`.
   */
  async add(...entries: readonly PluginEntry[]): Promise<readonly PluginView[]> {
    const { takePlugin } = await taking();
    if (this.#closing) throw new PegboardError("unavailable", "The runtime is closed");
    const taken = entries.map((entry) =>
      this.#keep(takePlugin(entry, this.#deps, (name) => this.#lives.get(name)?.origin)),
    );
    await this.#bringUp(
      taken.flatMap((one, index) => ("life" in one && entries[index]!.disabled === undefined ? one.life : [])),
    );
    return taken.map((one) => ("life" in one ? toPluginView(one.life) : one.refused));
  }

  /** Stops a plugin and forgets it; of several of this name, which were refused, only the one that this file brought. */
  async remove(name: string, file?: string): Promise<void> {
    const isMeant = (origin: PluginOrigin) => file === undefined || origin.file === file;
    const refused = this.#refused.filter((view) => view.name !== name || !isMeant(view.origin));
    const life = refused.length < this.#refused.length ? this.#lives.get(name) : this.#find(name);
    this.#refused = refused;
    if (life && isMeant(life.origin)) {
      await life.end("removed");
      this.#lives.delete(name);
    }
    this.#changed();
  }

  /** Brings a plugin up that is disabled or has failed; one that works in part is stopped first. What goes wrong is its status. */
  async enable(name: string): Promise<PluginView> {
    const life = this.#find(name);
    if (life.health.status === "degraded") await life.stop("enabled anew");
    await this.#bringUp([life]);
    return toPluginView(life);
  }

  /** Takes down what a plugin brought and stops it. Calls that run end on what they began with. */
  async disable(name: string, reason = "switched off"): Promise<PluginView> {
    const life = this.#find(name);
    await life.stop(reason);
    return toPluginView(life);
  }

  /**
   * Gives a plugin other settings; it alone is told. One that has failed is tried again. Rejects with `invalid_config` when
   * they are wrong, and then the old ones stay.
   */
  async configure(name: string, settings: Json): Promise<PluginView> {
    const life = this.#find(name);
    await life.configure(settings);
    return toPluginView(life);
  }

  /** Says which parts of a plugin are off; all others are on. */
  async switch(name: string, off: SwitchedOff): Promise<PluginView> {
    const life = this.#find(name);
    await life.switch(off);
    return toPluginView(life);
  }

  get(name: string): PluginView | undefined {
    const life = this.#lives.get(name);
    return life ? toPluginView(life) : this.#refused.find((view) => view.name === name);
  }

  /** All plugins in the order in which they were added, then what was refused. */
  list(): readonly PluginView[] {
    return [...Array.from(this.#lives.values(), toPluginView), ...this.#refused];
  }

  /** Calls the listener after every change of a plugin or its status, at once. It must not throw. */
  onChange(listener: () => void): Disposable {
    this.#listeners = [...this.#listeners, listener];
    return { [Symbol.dispose]: () => void (this.#listeners = this.#listeners.filter((one) => one !== listener)) };
  }

  /** Stops all. Rejects with one error that names all that failed in it. The second time it does nothing. */
  close(): Promise<void> {
    if (this.#closing) return this.#closing.catch(() => {});
    return (this.#closing = this.#close());
  }

  async #close(): Promise<void> {
    const failed = await Promise.all(
      Array.from(this.#lives.values(), async (life) => {
        const message = await life.end("the runtime is closed");
        return message === undefined ? [] : `"${life.plugin.name}" (${message})`;
      }),
    );
    const names = failed.flat();
    if (names.length > 0)
      throw new PegboardError("unavailable", `These plugins did not stop well: ${names.join(", ")}`);
  }

  #keep(taken: Taken): Taken {
    const { name, origin } = "life" in taken ? { ...taken.life.plugin, origin: taken.life.origin } : taken.refused;
    // What was wrong with it before is history.
    this.#refused = this.#refused.filter(
      (view) => view.name !== name || name === "" || view.origin.file !== origin.file,
    );
    if ("life" in taken) this.#lives.set(name, taken.life);
    else this.#refused = [...this.#refused, taken.refused];
    this.#changed();
    return taken;
  }

  async #bringUp(lives: readonly PluginLife[]): Promise<void> {
    await Promise.all(lives.map((life) => life.register()));
    await Promise.all(lives.map((life) => life.start()));
  }

  #find(name: string): PluginLife {
    const life = this.#lives.get(name);
    if (life) return life;
    const near = nearest(name, [...this.#lives.keys()]);
    const hint = near === undefined ? "" : `, did you mean "${near}"?`;
    throw new PegboardError("not_found", `There is no plugin "${String(name).slice(0, 80)}"${hint}`);
  }

  #broadcast(from: string, topic: string, data: Json): void {
    const told = copyJson(data);
    const others = this.hooks.filter(({ plugin }) => plugin !== from);
    const failed = (failure: HookFailure) => this.#lives.get(failure.plugin ?? "")?.hookFailed(failure);
    const watch = { limits: this.#deps.limits, failed };
    void tellHooks(toHookTable(others).broadcast, watch, (run) => run(topic, cloneJson(told)));
  }

  #changed(): void {
    this.#looked = false;
    this.#tagged = undefined;
    for (const listener of this.#listeners) listener();
  }
}
