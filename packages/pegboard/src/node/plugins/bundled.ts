import { createHash } from "node:crypto";
import type { Plugin } from "@pegboard/contract";
import { refuse } from "../files/file-error.ts";
import type { FoundPlugin } from "./discover.ts";
import type { PluginFolder } from "./plugin-folder.ts";

// What nobody asks for is not loaded.
const BUNDLED: Readonly<Record<string, () => Promise<Plugin>>> = {
  delegation: async () => (await import("../../plugins/bundled/delegation.ts")).delegation,
  validation: async () => (await import("../../plugins/bundled/validation.ts")).validation,
};

/** The plugins that come with Pegboard. */
export const BUNDLED_NAMES: readonly string[] = Object.keys(BUNDLED);

/** The plugins of these names that come with Pegboard; other names are left out. */
export async function readBundled(names: readonly string[]): Promise<readonly FoundPlugin[]> {
  const wanted = BUNDLED_NAMES.filter((name) => names.includes(name));
  return Promise.all(wanted.map(async (name) => toFound(await BUNDLED[name]!())));
}

function toFound(plugin: Plugin): FoundPlugin {
  const { name, version } = plugin;
  const folder = noFolder(`bundled:${name}`);
  const origin = { format: "pegboard" } as const;
  return {
    name,
    origin,
    loaded: { plugin, origin, diagnostics: [], reports: [] },
    folder,
    files: [],
    signature: `${name} ${version}`,
    diagnostics: [],
    reports: [],
  };
}

/** A place without files: what comes with Pegboard is its own code, and its place is only a name for it. */
function noFolder(root: string): PluginFolder {
  return {
    root,
    read: async () => undefined,
    readBytes: async (path) => Promise.reject(refuse("not_found", path, "there is no such file")),
    list: async () => undefined,
    typeOf: async () => undefined,
    absolute: () => root,
    digest: () => `sha256:${createHash("sha256").update(root).digest("hex")}`,
  };
}
