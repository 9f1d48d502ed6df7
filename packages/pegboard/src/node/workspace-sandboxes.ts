import { join } from "node:path";
import { CONFIG_FILE, dataFolder, LOCK_FILE } from "./places.ts";
import { createSandbox, type Sandbox } from "./sandbox/sandbox.ts";
import type { SandboxSettings } from "./sandbox/settings.ts";

/** What the sandboxes of a workspace are made of. */
export interface WorkspaceSandboxesDeps {
  readonly folder: string;
  readonly home: string;
  /** Whether the tools of each source are remembered. */
  readonly remember: boolean;
  /** Takes what tools write to their standard streams. */
  output(source: string, text: string): void;
  /** A source has other tools than were remembered. */
  changed(source: string): void;
}

/** The sandboxes of a workspace: one for each way its settings have been since the last reading. */
export interface WorkspaceSandboxes extends AsyncDisposable {
  /** The one for these settings, made at its first use. */
  for(settings: SandboxSettings): Sandbox;
  /** Ends all others. */
  keep(sandbox: Sandbox): Promise<void>;
}

/** Makes the sandboxes of a workspace; none of them is made yet. */
export function createWorkspaceSandboxes(deps: WorkspaceSandboxesDeps): WorkspaceSandboxes {
  const { folder, home, remember, output, changed } = deps;
  const data = dataFolder(folder);
  const sandboxes = new Map<string, Sandbox>();
  return {
    for(settings) {
      const key = JSON.stringify(settings);
      const sandbox =
        sandboxes.get(key) ??
        createSandbox({
          settings,
          folder,
          protect: protectedPlaces(folder),
          hide: [data, home],
          ...(remember && { cache: join(data, "cache") }),
          output,
          changed,
        });
      sandboxes.set(key, sandbox);
      return sandbox;
    },
    async keep(sandbox) {
      for (const [key, other] of sandboxes) {
        if (other === sandbox) continue;
        sandboxes.delete(key);
        await other[Symbol.asyncDispose]();
      }
    },
    async [Symbol.asyncDispose]() {
      for (const sandbox of sandboxes.values()) await sandbox[Symbol.asyncDispose]();
    },
  };
}

/** What in a workspace decides what runs, here or in Git: a confined program must not write it. */
function protectedPlaces(folder: string): string[] {
  return [CONFIG_FILE, LOCK_FILE, "tools", "plugins", "agents", "hooks", ".git/hooks", ".git/config"].map((name) =>
    join(folder, name),
  );
}
