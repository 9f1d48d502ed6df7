import { toReadme } from "./scaffold-readme.ts";

/** The files of a plugin whose tool is a program: path → text. */
export function commandPluginFiles(name: string): Readonly<Record<string, string>> {
  return {
    "plugin.json": `${JSON.stringify(manifest(name), null, 2)}\n`,
    "greet.js": PROGRAM,
    "plugin.test.ts": toTest(name),
    "README.md": toReadme(name, {
      test: "plugin.test.ts",
      what: "`plugin.json` says what the plugin brings; `greet.js` is the program that its tool runs: the input comes as JSON on standard input, the answer goes as JSON to standard output. Any language will do.",
    }),
  };
}

function manifest(name: string): object {
  return {
    name,
    version: "0.1.0",
    description: "Greets people",
    tools: [
      {
        name: "greet",
        description: "Greet somebody by name",
        command: "node",
        args: ["greet.js"],
        capabilities: ["read"],
        schema: {
          type: "object",
          properties: { name: { type: "string", description: "Whom to greet" } },
          required: ["name"],
          additionalProperties: false,
        },
      },
    ],
    config: { properties: { greeting: { type: "string", description: "How people are greeted", default: "Hello" } } },
  };
}

const PROGRAM = `// The input of the call comes as JSON on standard input; settings are variables.
let text = "";
for await (const chunk of process.stdin) text += chunk;
const { name } = JSON.parse(text);
console.log(JSON.stringify(\`\${process.env.PLUGIN_CONFIG_GREETING}, \${name}!\`));
`;

function toTest(name: string): string {
  return `import assert from "node:assert/strict";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { memoryStore } from "pegboard";
import { openWorkspace } from "pegboard/node";
import { scriptedModel } from "pegboard/testing";

test("an agent greets with the tool", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "plugin-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "pegboard.yaml"), "version: 1\\n");
  await cp(import.meta.dirname, join(folder, "plugins", "${name}"), { recursive: true });
  const workspace = await openWorkspace(folder, {
    trust: true,
    home: join(folder, "home"),
    store: memoryStore(),
    approve: "all",
  });
  t.after(() => workspace.close());
  // The model is a script; the call is real.
  const model = scriptedModel([
    { calls: [{ tool: "${name}__greet", input: { name: "Ada" } }] },
    { expect: "Hello, Ada!", text: "Done." },
  ]);
  const result = await workspace.open().run("assistant", "Greet Ada", { model }).result;
  assert.equal(result.status, "completed", result.error?.message);
});
`;
}
