import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { PegboardError } from "../../core/error.ts";
import { CONFIG_FILE, userFolder } from "../../node/places.ts";
import { recordTrust } from "../../node/trust.ts";
import { readWorkspace } from "../../node/read-workspace.ts";
import { VERSION } from "../../version.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { PACKAGE_FOLDER } from "../package-folder.ts";

/** Makes a workspace and trusts what it made. Replaces no file unless it is forced to. */
export async function init({ arguments: [dir], options, terminal }: CommandInput): Promise<number> {
  const folder = resolve(String(dir ?? options.workspace ?? "."));
  const files = new Map([
    [CONFIG_FILE, configText()],
    ["tools/hello.ts", HELLO],
    ["agents/helper.md", HELPER],
  ]);
  const present = [...files.keys()].filter((name) => existsSync(join(folder, name)));
  if (present.length > 0 && options["force"] !== true) {
    throw new PegboardError(
      "duplicate",
      `${folder} has ${present.join(" and ")} already; nothing was changed. Replace them with --force`,
    );
  }
  for (const [name, text] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  ignoreFolder(join(folder, ".gitignore"));
  const trusted = await trustOwn(folder, [...files.keys()]);
  const names = [...files.keys(), ".gitignore"];
  if (options.json) terminal.print(JSON.stringify({ folder, files: names, trusted }, null, 2));
  else terminal.print(describe(folder, names, trusted, dir === undefined ? "" : ` -C ${String(dir)}`));
  return EXIT.done;
}

function ignoreFolder(file: string): void {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (text.split(/\r?\n/).some((line) => /^\/?\.pegboard\/?$/.test(line.trim()))) return;
  writeFileSync(file, `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}.pegboard/\n`);
}

// Whatever else lies in the folder was not made here, and is for the person to look at.
async function trustOwn(folder: string, made: readonly string[]): Promise<boolean> {
  const home = userFolder();
  const { trust } = await readWorkspace(folder, { home });
  if (!trust.files.every((file) => made.includes(file.replaceAll("\\", "/")))) return false;
  recordTrust(trust, home);
  return true;
}

function describe(folder: string, names: readonly string[], trusted: boolean, where: string): string {
  return [
    `Made a workspace in ${folder}:`,
    ...names.map((name) => `  ${name}`),
    ...(trusted
      ? []
      : ["", "There is more in this folder that can run. Look at it and agree with:", `  pegboard${where} trust`]),
    "",
    "Try:",
    `  pegboard${where} list`,
    `  pegboard${where} call hello name=world`,
    `  pegboard${where} list agents`,
    `  pegboard${where} log`,
  ].join("\n");
}

function configText(): string {
  const schema = fileURLToPath(new URL("pegboard.schema.json", PACKAGE_FOLDER));
  return `# yaml-language-server: $schema=${existsSync(schema) ? schema : `https://unpkg.com/pegboard@${VERSION}/pegboard.schema.json`}
version: 1

# The model of agents that name none; its key comes from the environment.
# model: google:gemini-2.5-flash

# Every tool that a file in tools/ exports is loaded by itself.
# toolsets:
#   mine: { module: ./lib/math.ts, tools: [add], approval: ask }

policy:
  default: ask # what holds when nothing else decides: ask, or blocked
  rules: []
  # - { tool: "mine__*", approval: preApproved }

limits:
  timeout: 120s # for tools that name none
`;
}

const HELLO = `import { defineTool } from "pegboard";

export const hello = defineTool({
  name: "hello",
  description: "Greet somebody by name",
  input: {
    type: "object",
    properties: { name: { type: "string", description: "Whom to greet" } },
    required: ["name"],
    additionalProperties: false,
  },
  // A tool that only reads runs without asking.
  capabilities: ["read"],
  execute: ({ name }) => \`Hello, \${name}!\`,
});
`;

const HELPER = `---
name: helper
description: Greets people, and keeps notes in virtual files
tools: [hello, "vfs_*"] # names and globs, "!name" denies; [] is none; without this line all tools
# model: google:gemini-2.5-flash # without this line the model of pegboard.yaml
# temperature: 0.2
# max_turns: 20
# mode: read-only # of the tools, only those that change nothing
# toolsets: { mine: { module: ../lib/math.ts } } # tools of its own: mine__add, ...
# A tool can also be a prompt of its own, as another entry of tools:
#   - name: shorten
#     description: Shorten a text
#     parameters: { text: { type: string } }
#     prompt: "Shorten this to one sentence: {{text}}"
---
You are a friendly helper. Greet people with the tool hello.
Keep what you should remember in virtual files under notes/.
`;
