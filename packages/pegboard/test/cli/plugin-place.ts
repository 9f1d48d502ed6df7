import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { vi } from "vitest";
import { makePlace, type Place } from "./run.ts";

// Each command is a process of its own, and what is tested here takes many of them.
vi.setConfig({ testTimeout: 60_000 });

/** Unconfined, so that every machine shows the same; its comments must stay. */
export const CONFIG = `version: 1 # the first
# Calls do not ask here.
policy: { rules: [{ tool: "*", approval: preApproved }] }
sandbox: { mode: process }
`;

/** A place whose workspace is trusted, and a folder beside it for what is added. */
export interface PluginPlace extends Place {
  /** Writes files of a plugin that is not installed; answers with its folder. */
  plugin(name: string, files: Readonly<Record<string, string>>): string;
  /** The output of a command as JSON. */
  json(...argv: readonly string[]): Promise<any>;
}

/** Makes a place with a workspace that the person trusts as it is. */
export async function makePluginPlace(files: Readonly<Record<string, string>> = {}): Promise<PluginPlace> {
  const place = makePlace({ "pegboard.yaml": CONFIG, ...files });
  await place.run("trust", "--yes", "--quiet");
  return {
    ...place,
    plugin(name, content) {
      const folder = join(place.folder, "..", name);
      for (const [path, text] of Object.entries(content)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
      return folder;
    },
    async json(...argv) {
      return JSON.parse((await place.run(...argv, "--json")).stdout) as unknown;
    },
  };
}

/** The files of a plugin whose tools answer with their settings and input. */
export function kit(version: string, tools: readonly string[], more: object = {}): Record<string, string> {
  const manifest = {
    name: "kit",
    version,
    description: "A kit",
    tools: tools.map((name) => ({ name, description: `Runs ${name}`, command: "node", args: ["run.js"] })),
    ...more,
  };
  return { "plugin.json": JSON.stringify(manifest), "run.js": RUN };
}

const RUN = `
process.stdin.resume().on("end", () => {
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => key.startsWith("PLUGIN_CONFIG_")));
  console.log(JSON.stringify(env));
});
`;
