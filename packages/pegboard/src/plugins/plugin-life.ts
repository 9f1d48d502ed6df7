import type { Hooks, Json, Plugin } from "@pegboard/contract";
import { messageOf } from "../core/error.ts";
import { tellHooks } from "../core/hooks/observe.ts";
import type { HookFailure } from "../core/hooks/run-hook.ts";
import { type HookOwner, toHookTable } from "../core/hooks/table.ts";
import { callRegister } from "./call-register.ts";
import { inTime } from "./in-time.ts";
import { lendHost } from "./lend-host.ts";
import type { PluginOrigin } from "./loaded-plugin.ts";
import type { PluginDeps, PluginEntry } from "./plugin-entry.ts";
import { PluginHealth, type Rest } from "./plugin-health.ts";
import type { OwnedHost, PluginActs } from "./plugin-host.ts";
import { toTool } from "./plugin-tool.ts";
import { toPresented } from "./presented.ts";
import { checkSettings } from "./settings.ts";
import { HungThings, type Owner, type SwitchedOff } from "./shelves.ts";

/** What a life needs of whoever keeps all of them. */
export interface LifeDeps extends PluginDeps {
  /** Something about the plugin changed. */
  changed(): void;
  broadcast(from: string, topic: string, data: Json): void;
}

/** A plugin that is there. */
interface Up {
  readonly owned: OwnedHost;
  readonly acts: PluginActs;
  readonly hung: HungThings;
  /** What it returned, and of that what is not switched off. */
  readonly all: Hooks | undefined;
  hooks: HookOwner | undefined;
  started: boolean;
}

/** The life of one plugin that is known to be well-formed. What it is asked to do, it does one after another. */
export class PluginLife {
  readonly plugin: Plugin;
  readonly origin: PluginOrigin;
  readonly health: PluginHealth;
  readonly #deps: LifeDeps;
  readonly #fill: PluginEntry["fill"];
  #settings: Json;
  #off: SwitchedOff;
  #up: Up | undefined;
  #over = false;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(entry: PluginEntry & { readonly origin: PluginOrigin }, deps: LifeDeps) {
    const { plugin, origin, diagnostics = [], settings = {}, off = {}, disabled, fill } = entry;
    this.plugin = plugin;
    this.origin = origin;
    this.#deps = deps;
    this.#fill = fill;
    this.#settings = settings;
    this.#off = off;
    const rest: Rest = { status: "disabled", reason: disabled ?? "not enabled yet" };
    this.health = new PluginHealth(rest, diagnostics, origin.file);
  }

  get off(): SwitchedOff {
    return this.#off;
  }

  /** Its hooks that are not switched off, as long as it is there. */
  get hooks(): HookOwner | undefined {
    return this.#up?.hooks;
  }

  /** All its hooks, switched off or not. */
  get allHooks(): Hooks | undefined {
    return this.#up?.all;
  }

  /** Validates the settings, calls `register`, and hangs up what it brings. What fails is its status, and nothing of it stays. */
  register(): Promise<void> {
    return this.#next(() => this.#register());
  }

  /** Calls `start`, if it is registered and not started. What fails is its status. */
  start(): Promise<void> {
    return this.#next(() => this.#start());
  }

  /** Takes down what it hung up, then calls `stop`. Resolves to what `stop` threw, as its message. */
  stop(reason: string): Promise<string | undefined> {
    return this.#next(() => this.#stop({ status: "disabled", reason }));
  }

  /** Stops it for good. */
  end(reason: string): Promise<string | undefined> {
    this.#over = true;
    return this.stop(reason);
  }

  /** Gives it other settings. One that failed is tried again. Rejects when they are wrong, and then nothing has changed. */
  configure(settings: Json): Promise<void> {
    return this.#next(async () => {
      const checked = await checkSettings(this.plugin, settings, this.#deps);
      this.#settings = settings;
      if (this.#up && this.#fill) {
        await this.#stop({ status: "disabled", reason: "its settings are others now" });
        await this.#register();
        await this.#start();
      } else if (this.#up) {
        this.#up.owned.configure(checked);
        await this.#tellSettings(checked);
      } else if (this.health.status === "failed") {
        await this.#register();
        await this.#start();
      }
      this.#deps.changed();
    });
  }

  /** Switches parts of it off and the others on. Rejects when one cannot be hung up, and then nothing has changed. */
  switch(off: SwitchedOff): Promise<void> {
    return this.#next(async () => {
      this.#up?.hung.show(off);
      this.#off = off;
      if (this.#up) this.#up.hooks = this.#toHooks(this.#up.all);
      this.#deps.changed();
    });
  }

  /** Notes that one of its hooks failed that no session has a part in, and so no log. */
  hookFailed({ hook, severity, error }: HookFailure): void {
    this.health.note("hook", `Hook "${hook}" of plugin "${this.plugin.name}" failed: ${error.message}`, severity);
    this.#deps.changed();
  }

  async #register(): Promise<void> {
    if (this.#up || this.#over) return;
    const { plugin, health } = this;
    const acts = this.#deps.actAs(plugin.name);
    let owned: OwnedHost | undefined;
    let hung: HungThings | undefined;
    try {
      health.begin();
      const settings = await checkSettings(plugin, this.#settings, this.#deps);
      const { broadcast } = this.#deps;
      owned = lendHost(plugin, settings, { acts, broadcast, report: (problem) => this.#report("", problem) });
      const all = await callRegister(plugin, owned.host, this.#deps.stepMs, health);
      const filled = this.#fill?.(plugin, this.#settings);
      hung = this.#createThings(owned, { ...plugin, ...filled });
      hung.show(this.#off);
      this.#up = { owned, acts, hung, all, hooks: this.#toHooks(all), started: false };
      health.rise();
      for (const [about, problem] of Object.entries(filled?.problems ?? {})) health.report(about, problem);
    } catch (error) {
      hung?.[Symbol.dispose]();
      owned?.end();
      owned?.host.state.clear();
      await acts.close();
      const step = owned ? "register failed: " : "";
      health.rest({ status: "failed", reason: `${step}${messageOf(error)}` });
    }
    this.#deps.changed();
  }

  async #start(): Promise<void> {
    const up = this.#up;
    if (!up || up.started) return;
    const { start, onStartFailed } = this.plugin;
    const { stepMs } = this.#deps;
    up.started = true;
    try {
      await inTime(stepMs, () => start?.(up.owned.host));
    } catch (error) {
      const failed = `start failed: ${messageOf(error)}`;
      if (!onStartFailed) return this.#fall(failed);
      try {
        await inTime(stepMs, () => onStartFailed(up.owned.host, error));
        this.health.report("start", failed);
      } catch (again) {
        return this.#fall(`${failed}; its recovery failed too: ${messageOf(again)}`);
      }
    }
    this.#deps.changed();
  }

  async #fall(reason: string): Promise<void> {
    if (this.#up) this.#up.started = false;
    await this.#stop({ status: "failed", reason });
  }

  async #stop(rest: Rest): Promise<string | undefined> {
    const up = this.#up;
    this.#up = undefined;
    this.health.rest(rest);
    up?.hung[Symbol.dispose]();
    up?.owned.end();
    let failed: string | undefined;
    try {
      if (up?.started) await inTime(this.#deps.stepMs, () => this.plugin.stop?.(up.owned.host));
    } catch (error) {
      failed = `stop failed: ${messageOf(error)}`;
      this.health.rest({ ...rest, reason: `${rest.reason}; ${failed}` });
    }
    up?.owned.host.state.clear();
    await up?.acts.close();
    this.#deps.changed();
    return failed;
  }

  #createThings(owned: OwnedHost, plugin: Plugin): HungThings {
    const tools = (plugin.tools ?? []).map((tool) => toTool(tool, owned, this.#deps.taskOf));
    const shown = { ...plugin, ...toPresented(plugin, this.#deps.limits), tools };
    return new HungThings(shown, toOwner(plugin, this.origin), this.#deps.shelves, (about, problem) =>
      this.#report(about, problem),
    );
  }

  #toHooks(all: Hooks | undefined): HookOwner | undefined {
    return all && { plugin: this.plugin.name, hooks: all, off: this.#off.hooks ?? [] };
  }

  async #tellSettings(settings: Json): Promise<void> {
    const { settingsChanged } = toHookTable(this.#up?.hooks ? [this.#up.hooks] : []);
    const watch = { limits: this.#deps.limits, failed: (failure: HookFailure) => this.hookFailed(failure) };
    await tellHooks(settingsChanged, watch, (run) => run(settings));
  }

  #report(about: string, problem: string | undefined): void {
    this.health.report(about, problem);
    this.#deps.changed();
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }
}

function toOwner({ name, version }: Plugin, { file, digest, enabledBy }: PluginOrigin): Owner {
  return {
    plugin: name,
    version,
    ...(file !== undefined && { file }),
    ...(digest !== undefined && { digest }),
    ...(enabledBy && { enabledBy }),
  };
}
