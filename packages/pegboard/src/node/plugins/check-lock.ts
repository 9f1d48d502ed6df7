import { existsSync, lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Plugin } from "@pegboard/contract";
import { type Diagnostic, describeDiagnostic } from "../../core/diagnostic.ts";
import { PegboardError } from "../../core/error.ts";
import { contentDigest } from "./content-digest.ts";
import { toDefinitions } from "./contents.ts";
import { diffDefinitions, type PluginChange } from "./diff.ts";
import type { Discovery, FoundPlugin } from "./discover.ts";
import { toHookKinds } from "./hook-kinds.ts";
import { type Locked, type LockedPlugin, readLock } from "./lock-file.ts";
import type { PluginCode } from "./read-plugin.ts";

/**
 * The plugins of a folder, those refused that are not what somebody agreed to when they were added. What is linked, or was
 * written there, is not locked. Throws `invalid_config` when the lock file cannot be relied on.
 */
export function checkLock(place: string, lockFile: string, { plugins, diagnostics }: Discovery): Discovery {
  if (!existsSync(lockFile)) return { plugins, diagnostics };
  const locked = readLock(lockFile);
  const missing = Object.keys(locked).filter((name) => !lstatSync(join(place, name), { throwIfNoEntry: false }));
  return {
    plugins: plugins.map((found) => checked(found, locked, place)),
    diagnostics: [
      ...diagnostics,
      ...missing.map((name): Diagnostic => ({
        severity: "warning",
        code: "not_fetched",
        message: `the plugin "${name}" was added and is not here`,
        file: lockFile,
        fix: `fetch it with: pegboard plugin update ${name}`,
      })),
    ],
  };
}

function checked(found: FoundPlugin, locked: Locked, place: string): FoundPlugin {
  const { root } = found.folder;
  const name = basename(root);
  const isLinked = dirname(root) !== realpathSync(place);
  if (isLinked || !Object.hasOwn(locked, name)) return found;
  if (locked[name]!.digest !== contentDigest(root))
    return { ...found, refused: changed(name, root, "its files are others") };
  return found.code ? { ...found, code: checkedCode(found.code, locked[name]!, { name, root }) } : found;
}

/** Code can bring something else each time it runs. */
function checkedCode(
  code: PluginCode,
  locked: LockedPlugin,
  { name, root }: { readonly name: string; readonly root: string },
): PluginCode {
  return {
    async run(place) {
      const running = await code.run(place);
      if (!running.plugin) return running;
      const plugin = locked.registered ? withLockedHooks(running.plugin, locked, { name, root }) : running.plugin;
      // In this process a schema can be an object of some library, of which a digest tells nothing.
      if (place.trusted || !isSeen(locked)) return { ...running, plugin };
      const changes = diffDefinitions(locked, toDefinitions(plugin, root));
      if (changes.length === 0) return { ...running, plugin };
      running.release();
      return { diagnostics: [changed(name, root, describeChanges(changes))], release() {} };
    },
  };
}

/** Which hooks there are shows only when it registers. */
function withLockedHooks(
  plugin: Plugin,
  locked: LockedPlugin,
  { name, root }: { readonly name: string; readonly root: string },
): Plugin {
  return {
    ...plugin,
    async register(host) {
      const returned = await plugin.register?.(host);
      const changes = diffDefinitions(locked, { hooks: toHookKinds(returned) });
      if (changes.length === 0) return returned;
      throw new PegboardError("denied", describeDiagnostic(changed(name, root, describeChanges(changes))));
    },
  };
}

/** Whether it is known what its code brings: it was not added to a workspace that was not trusted. */
function isSeen({ registered, tools, agents, skills, commands, mcpServers }: LockedPlugin): boolean {
  const records = [tools, agents, skills, commands, mcpServers];
  return registered === true || records.some((record) => Object.keys(record).length > 0);
}

function describeChanges(changes: readonly PluginChange[]): string {
  return changes.map(({ change, kind, name }) => `${kind} "${name}" is ${change}`).join(", ");
}

function changed(name: string, file: string, what: string): Diagnostic {
  return {
    severity: "error",
    code: "changed",
    message: `the plugin "${name}" has changed since it was locked, and is not run: ${what}`,
    file,
    fix: `look at it and agree with: pegboard plugin update ${name} --accept, or fetch it anew with: pegboard plugin update ${name}`,
  };
}
