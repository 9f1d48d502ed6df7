import type { Diagnostic } from "../core/diagnostic.ts";
import type { FoundPlugin } from "../node/plugins/discover.ts";
import { installedAs, lockedIn, type PluginStore, userStore, workspaceStore } from "../node/plugins/plugin-store.ts";
import { readWorkspace } from "../node/read-workspace.ts";
import type { PluginView } from "../plugins/plugin-view.ts";
import type { Opened } from "./workspace.ts";

/** A plugin as it is listed: what is known of it whether it runs or not. */
export interface ListedPlugin {
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  readonly status: PluginView["status"];
  readonly reason?: string;
  /** Whose it is. */
  readonly place: "workspace" | "user" | "bundled";
  /** How it came there: `own` was written there. */
  readonly installed: "added" | "linked" | "own" | "bundled";
  /** Whether its contents are locked; a linked one never is. */
  readonly locked: boolean;
  readonly source?: string;
  readonly resolved?: string;
  readonly digest?: string;
  readonly origin: PluginView["origin"];
  readonly activation?: PluginView["activation"];
  readonly components: PluginView["components"];
  readonly diagnostics: readonly Diagnostic[];
}

/** A plugin with what was read of it. */
export interface FoundListed {
  readonly listed: ListedPlugin;
  readonly found: FoundPlugin;
  readonly view: PluginView | undefined;
}

/** All plugins of a workspace that is open, and of the person. */
export async function listPlugins({ workspace, settings }: Opened): Promise<readonly FoundListed[]> {
  const { folder } = workspace;
  const home = settings.home.value;
  const { plugins } = await readWorkspace(folder, { home });
  const { own = [], user = [], bundled = [] } = plugins ?? {};
  const views = workspace.plugins.list();
  const list = (found: FoundPlugin, place: ListedPlugin["place"], store?: PluginStore): FoundListed => {
    const { root } = found.folder;
    const view = views.find(({ name, origin }) => name === found.name && (origin.folder === root || !store));
    return { listed: toListed(found, { place, store, view }), found, view };
  };
  return [
    ...own.map((found) => list(found, "workspace", workspaceStore(folder))),
    ...user.map((found) => list(found, "user", userStore(home))),
    ...bundled.map((found) => list(found, "bundled")),
  ];
}

interface Around {
  readonly place: ListedPlugin["place"];
  readonly store: PluginStore | undefined;
  readonly view: PluginView | undefined;
}

function toListed(found: FoundPlugin, { place, store, view }: Around): ListedPlugin {
  const { name, loaded, origin } = found;
  const installed = store ? (installedAs(store, name) ?? "linked") : "bundled";
  const locked = store && installed === "added" ? lockedIn(store, name) : undefined;
  const errors = found.diagnostics.filter(({ severity }) => severity === "error");
  const reason = view ? view.reason : errors.map(({ message }) => message).join("; ");
  const { version, description } = view ?? loaded?.plugin ?? {};
  const digest = locked?.digest ?? origin.digest;
  return {
    name,
    ...(version !== undefined && { version }),
    ...(description !== undefined && { description }),
    status: view?.status ?? "failed",
    ...(reason && { reason }),
    place,
    installed,
    locked: locked !== undefined,
    ...(locked && { source: locked.source }),
    ...(locked?.resolved !== undefined && { resolved: locked.resolved }),
    ...(digest !== undefined && { digest }),
    origin: view?.origin ?? origin,
    ...(view && { activation: view.activation }),
    components: view?.components ?? [],
    diagnostics: view?.diagnostics ?? found.diagnostics,
  };
}
