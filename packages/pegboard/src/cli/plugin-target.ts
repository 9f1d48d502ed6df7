import { existsSync } from "node:fs";
import { join } from "node:path";
import { PegboardError } from "../core/error.ts";
import { CONFIG_FILE } from "../node/places.ts";
import { installedAs, lockedIn, type PluginStore, userStore, workspaceStore } from "../node/plugins/plugin-store.ts";
import { recordTrust } from "../node/trust.ts";
import { readWorkspace } from "../node/read-workspace.ts";
import type { CommandInput } from "./command.ts";
import { toSettings } from "./settings.ts";

/** Where a command about plugins works. */
export interface PluginTarget {
  readonly store: PluginStore;
  readonly isUser: boolean;
  readonly home: string;
  /** Undefined where there is none. */
  readonly workspace: string | undefined;
}

/** Where plugins go: into the workspace, or with `--user` to the person. Throws `invalid_config` where neither is. */
export function toTarget({ options }: CommandInput): PluginTarget {
  const { workspace: folder, home } = toSettings(options);
  const workspace = existsSync(join(folder.value, CONFIG_FILE)) ? folder.value : undefined;
  const isUser = options["user"] === true;
  if (!isUser && workspace === undefined)
    throw new PegboardError(
      "invalid_config",
      `There is no pegboard.yaml in ${folder.value}, nor above it. Make one with: pegboard init; or add --user for your own plugins`,
    );
  const store = isUser ? userStore(home.value) : workspaceStore(workspace!);
  return { store, isUser, home: home.value, workspace };
}

/** Where the plugin of a name is: in the workspace, else among the person's own. Throws `not_found`. */
export function findTarget(input: CommandInput, name: string): PluginTarget {
  const { workspace: folder, home } = toSettings(input.options);
  const workspace = existsSync(join(folder.value, CONFIG_FILE)) ? folder.value : undefined;
  const stores = [
    ...(workspace === undefined || input.options["user"] === true ? [] : [workspaceStore(workspace)]),
    userStore(home.value),
  ];
  const store = stores.find((one) => installedAs(one, name) !== undefined || lockedIn(one, name));
  if (store) return { store, isUser: store.base === home.value, home: home.value, workspace };
  throw new PegboardError(
    "not_found",
    `There is no plugin "${name}" in ${stores.map((one) => one.folder).join(" or ")}; pegboard plugin list shows what there is`,
  );
}

/**
 * Makes a change in a workspace that a person has just agreed to: one that was trusted before stays so. Whether it is
 * trusted; true for what is the person's own.
 */
export async function withTrust({ isUser, home, workspace }: PluginTarget, change: () => unknown): Promise<boolean> {
  if (isUser || workspace === undefined) {
    await change();
    return true;
  }
  const { trust: before } = await readWorkspace(workspace, { home });
  await change();
  if (!before.trusted) return false;
  recordTrust((await readWorkspace(workspace, { home })).trust, home);
  return true;
}
