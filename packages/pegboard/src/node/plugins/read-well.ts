import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describeDiagnostic } from "../../core/diagnostic.ts";
import { PegboardError } from "../../core/error.ts";
import { type FoundPlugin, readPluginFolder } from "./discover.ts";

/** Reads a plugin that is to be installed; nothing of it runs. Rejects with `invalid_config` when nothing comes of it. */
export async function readWell(path: string): Promise<FoundPlugin> {
  const folder = existsSync(path) ? realpathSync(path) : path;
  const found = await readPluginFolder(folder, {
    sandbox() {
      throw new PegboardError("unavailable", "Nothing runs here");
    },
    // Paths that definitions name lie in the plugin here, so that their digests do not tell where it lies.
    environments: join(folder, "environments"),
    project: folder,
  });
  if (!("severity" in found) && found.loaded) return found;
  const diagnostics = "severity" in found ? [found] : found.diagnostics;
  const errors = diagnostics.map((one) => `  ${describeDiagnostic({ ...one, file: one.file ?? folder })}`);
  throw new PegboardError(
    "invalid_config",
    `This is no plugin that can be used; nothing was changed:\n${errors.join("\n")}`,
  );
}
