import { join } from "node:path";
import { PegboardError } from "../core/error.ts";
import type { FileReport } from "../core/file-report.ts";
import { readPluginFolder } from "./plugins/discover.ts";
import { toReport } from "./plugins/report.ts";

/** What is known around a plugin that is only looked at. */
export interface PluginCheck {
  /** The folder of the person's own settings. */
  readonly home: string;
}

/** Reports on every file that a plugin brings, for one that lies in `around`. Reads, and runs nothing. Never rejects. */
export async function checkPlugin(
  folder: string,
  { home }: PluginCheck,
  around: string = folder,
): Promise<readonly FileReport[]> {
  const found = await readPluginFolder(folder, {
    sandbox: () => {
      throw new PegboardError("unavailable", "Nothing runs here");
    },
    environments: join(home, "plugin-environments"),
    project: folder,
    around,
  });
  if (!("severity" in found) && found.reports.length > 0) return found.reports;
  const path = "severity" in found ? folder : (found.origin.file ?? folder);
  const format = "severity" in found ? "unknown" : found.origin.format;
  const diagnostics = "severity" in found ? [found] : found.diagnostics;
  return [toReport(path, { kind: "plugin", format }, { loaded: false, fields: [], diagnostics })];
}
