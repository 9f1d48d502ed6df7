import { join } from "node:path";
import type { Config } from "../config-file.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import type { SandboxSettings } from "../sandbox/settings.ts";
import { type Definitions, toDefinitions } from "./contents.ts";
import { diffDefinitions, NO_CONTENTS, type PluginChange } from "./diff.ts";
import { changeLock } from "./lock-file.ts";
import { lockedIn, type PluginStore } from "./plugin-store.ts";
import { readWell } from "./read-well.ts";
import { seeHooks } from "./see-hooks.ts";
import { settingsOf } from "./workspace-plugins.ts";

/** Where the code of a plugin runs, and what it brought until now. */
export interface LockOptions {
  readonly sandbox: SandboxSettings;
  /** What it must not see. */
  readonly hide: readonly string[];
  /** Where its settings are kept, and the configuration that may write some. */
  readonly home: string;
  readonly config: Config | undefined;
  readonly before?: Definitions | undefined;
}

/** What the code of a plugin turned out to be. */
export interface LockedDefinitions {
  readonly version: string;
  /** What it brings that it did not bring before, and the other way round. */
  readonly changes: readonly PluginChange[];
}

/**
 * Runs the code of a plugin that somebody has agreed to, in a process of its own, and locks what it brings. Resolves to
 * nothing for a plugin that is no code, and for one that does not load, whose status says why.
 */
export async function lockDefinitions(
  store: PluginStore,
  name: string,
  { sandbox: settings, hide, before = NO_CONTENTS, home, config }: LockOptions,
): Promise<LockedDefinitions | undefined> {
  const locked = lockedIn(store, name);
  const found = await readWell(join(store.folder, name));
  const { code, folder } = found;
  if (!code || !locked) return undefined;
  const sandbox = createSandbox({ settings, folder: store.base, protect: [store.folder, store.lock], hide });
  try {
    const onChange = () => ({ [Symbol.dispose]() {} });
    const running = await code.run({ sandbox, trusted: false, onChange }).catch(() => undefined);
    if (!running?.plugin) return undefined;
    const hooks = await seeHooks(running.plugin, settingsOf(found, config, home)).catch(() => undefined);
    const definitions = { ...toDefinitions(running.plugin, folder.root), ...(hooks && { hooks }) };
    running.release();
    const { version } = running.plugin;
    await changeLock(store.lock, name, { ...locked, ...definitions, version, ...(hooks && { registered: true }) });
    return { version, changes: diffDefinitions(before, definitions) };
  } finally {
    await sandbox[Symbol.asyncDispose]();
  }
}
