import { join } from "node:path";
import type { ForeignCheck } from "./check-foreign.ts";
import { readConfig } from "./config-file.ts";
import { agentLint, type InspectOptions } from "./inspect.ts";
import { CONFIG_FILE, findWorkspace } from "./places.ts";
import type { PluginCheck } from "./check-plugin.ts";

/** What is known around files that are checked: the workspace that they lie in, if any. */
export interface CheckPlaces extends PluginCheck {
  /** Around the files of a folder. */
  around(folder: string): Promise<ForeignCheck>;
}

/** Makes the places of one check. Each workspace is looked into once, and only when a file of it is checked. */
export function createCheckPlaces(options: InspectOptions): CheckPlaces {
  const workspaces = new Map<string, Promise<ForeignCheck>>();
  const folders = new Map<string, Promise<ForeignCheck>>();
  return {
    home: options.home,
    around(folder) {
      const known = folders.get(folder);
      if (known) return known;
      const workspace = findWorkspace(folder);
      const found =
        workspace === undefined
          ? Promise.resolve({ root: folder, models: [], lint: () => [] })
          : (workspaces.get(workspace) ?? look(workspace, options));
      if (workspace !== undefined) workspaces.set(workspace, found);
      folders.set(folder, found);
      return found;
    },
  };
}

async function look(workspace: string, options: InspectOptions): Promise<ForeignCheck> {
  const { models } = await readConfig(join(workspace, CONFIG_FILE));
  const lint = await agentLint(workspace, options);
  return {
    root: workspace,
    models: Object.keys(models.aliases ?? {}),
    lint: (agent, file, text) => lint({ agent, file, text }),
  };
}
