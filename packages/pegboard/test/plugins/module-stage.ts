import { join } from "node:path";
import { onTestFinished } from "vitest";
import { discoverPlugins } from "../../src/node/plugins/discover.ts";
import { createPluginBoard } from "../../src/node/plugins/plugin-board.ts";
import { createSandbox } from "../../src/node/sandbox/sandbox.ts";
import { DEFAULT_SANDBOX } from "../../src/node/sandbox/settings.ts";
import type { RuntimeOptions } from "../../src/index.ts";
import { type Cast, stage } from "../agents/stage.ts";
import { makeFolder } from "../node/workspace-folder.ts";

/** Puts agents on a stage whose plugins are those of these files; `trusted` are those that run in this process. */
export async function stageModules(
  files: Readonly<Record<string, string>>,
  cast: Cast,
  { trusted = [], ...options }: RuntimeOptions & { readonly trusted?: readonly string[] } = {},
) {
  const folder = makeFolder(files);
  const heard: string[] = [];
  const settings = { ...DEFAULT_SANDBOX, mode: "process" } as const;
  const sandbox = createSandbox({ settings, folder: folder.path, output: (_, text) => heard.push(text) });
  const staged = stage(cast, options);
  const { runtime } = staged;
  onTestFinished(async () => {
    await runtime.close().catch(() => {});
    await sandbox[Symbol.asyncDispose]();
  });
  const deps = { sandbox: () => sandbox, environments: folder.home };
  const { plugins } = await discoverPlugins(join(folder.path, "plugins"), deps);
  const wanted = plugins.map((found) => ({ found, trusted: trusted.includes(found.name) }));
  await createPluginBoard(runtime.plugins).load(wanted, sandbox);
  return { ...staged, folder, heard };
}
