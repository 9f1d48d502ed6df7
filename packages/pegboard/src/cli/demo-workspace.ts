import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Makes the workspace that the demo shows, in a new temporary folder. Returns the folder. */
export function makeDemoWorkspace(): string {
  const folder = mkdtempSync(join(tmpdir(), "pegboard-demo-"));
  for (const [name, text] of Object.entries(FILES)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return folder;
}

/** The files of the agent that the demo runs: itself, and what its model says. */
export const AGENT_FILES = ["agents/packer.md", "scripts/packer.yaml"];

const FILES: Readonly<Record<string, string>> = {
  "pegboard.yaml": `version: 1
toolsets:
  math: { module: ./lib/math.ts, tools: [add], approval: preApproved }
  weather: { module: ./lib/weather.ts, approval: preApproved }
tools:
  - name: send_mail
    description: Sends a mail
    module: ./lib/mail.ts
    function: sendMail
    parameters:
      type: object
      properties: { to: { type: string }, text: { type: string } }
      required: [to, text]
    requires_approval: true
policy:
  rules:
    - { tool: vfs_delete, approval: blocked, reason: nothing is deleted in this workspace }
`,
  "tools/greet.ts": `import { defineTool } from "pegboard";

export const greet = defineTool({
  name: "greet",
  description: "Greets somebody by name",
  input: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  approval: "preApproved",
  execute: ({ name }) => \`Hello, \${name}!\`,
});
`,
  "lib/math.ts": `export const add = ({ a, b }: { a: number; b: number }) => a + b;

export const addSchema = {
  type: "object",
  description: "Adds two numbers",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
  additionalProperties: false,
};
`,
  "lib/weather.ts": `// What the AI SDK's own jsonSchema() makes; with the package installed one would import it.
const jsonSchema = (schema: object) => ({ [Symbol.for("vercel.ai.schema")]: true, jsonSchema: schema, validate: undefined });

export const forecast = {
  description: "Tells the weather of tomorrow",
  inputSchema: jsonSchema({ type: "object", properties: { city: { type: "string" } }, required: ["city"] }),
  execute: async ({ city }: { city: string }) => ({ city, sky: "clear", degrees: 21 }),
};
`,
  "lib/mail.ts": `export function sendMail({ to }: { to: string }, { session_id }: { session_id: string }) {
  return { success: true, output: \`Sent to \${to} (session \${session_id.slice(0, 8)})\` };
}
`,
  "agents/packer.md": `---
name: packer
description: Says what to pack for a journey
model: scripted:scripts/packer.yaml
tools:
  - weather__forecast
  - name: pack
    description: Makes a packing list from a forecast
    parameters:
      forecast: { type: string, description: What the weather will be }
    prompt: "What does one pack for this weather? {{forecast}}"
    result_schema:
      type: object
      properties:
        umbrella: { type: boolean }
        items: { type: array, items: { type: string } }
      required: [umbrella, items]
---
You help people to pack. Look at the forecast, then make the list with the tool pack.
`,
  "scripts/packer.yaml": `# What the model says, in place of one: no network, no key.
scripts:
  - when: { system: the tool "pack" }
    turns:
      - '{ "umbrella": "none" }'
      - '{ "umbrella": false, "items": ["sunglasses", "a light coat"] }'
  - turns:
      - calls: [{ tool: weather__forecast, input: { city: Oslo } }]
      - expect: clear
        calls: [{ tool: pack, input: { forecast: "clear, 21 degrees" } }]
      - Sunglasses and a light coat. No umbrella.
`,
};
