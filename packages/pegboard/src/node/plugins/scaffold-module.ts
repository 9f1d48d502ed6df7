import { toReadme } from "./scaffold-readme.ts";

/** The files of a plugin that is a module: path → text. */
export function modulePluginFiles(name: string): Readonly<Record<string, string>> {
  return {
    "index.ts": toModule(name),
    "plugin.test.ts": toTest(name),
    "README.md": toReadme(name, {
      test: "plugin.test.ts",
      what: "`index.ts` exports the plugin: its tools, and what it does when it is registered. It runs in a process of its own.",
    }),
  };
}

function toModule(name: string): string {
  return `import { definePlugin } from "pegboard";

export default definePlugin({
  name: "${name}",
  version: "0.1.0",
  description: "Greets people",
  settingsSchema: {
    type: "object",
    properties: { greeting: { type: "string", description: "How people are greeted", default: "Hello" } },
    additionalProperties: false,
  },
  tools: [
    {
      name: "greet",
      description: "Greet somebody by name",
      schema: {
        type: "object",
        properties: { name: { type: "string", description: "Whom to greet" } },
        required: ["name"],
        additionalProperties: false,
      },
      // The host is this plugin's own: its settings, its state, its status.
      async handler(host, { name }) {
        const { greeting } = host.settings as { greeting: string };
        return \`\${greeting}, \${name}!\`;
      },
    },
  ],
});
`;
}

function toTest(name: string): string {
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime } from "pegboard";
import { scriptedModel } from "pegboard/testing";
import plugin from "./index.ts";

test("an agent greets with the tool", async (t) => {
  // The model is a script; the call is real.
  const model = scriptedModel([
    { calls: [{ tool: "${name}__greet", input: { name: "Ada" } }] },
    { expect: "Hello, Ada!", text: "Done." },
  ]);
  const runtime = createRuntime({ approve: "all" });
  t.after(() => runtime.close());
  const [view] = await runtime.plugins.add({ plugin });
  assert.equal(view?.status, "healthy", view?.reason);
  const result = await runtime.open().run("assistant", "Greet Ada", { model }).result;
  assert.equal(result.status, "completed", result.error?.message);
});
`;
}
