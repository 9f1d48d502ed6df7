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

/** The files of the agents that work together. */
export const TEAM_FILES = ["agents/planner.md", "agents/writer.md", "agents/sender.md", "agents/critic.md"];

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
    - { tool: delegate, approval: preApproved }
    - { tool: spawn_agent, approval: preApproved }
prices:
  scripted:scripts/dinner.yaml: { input: 3, output: 15 }
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
  "agents/planner.md": `---
name: planner
description: Plans a dinner, and lets others do the work
model: scripted:scripts/dinner.yaml
tools:
  - delegate
  - spawn_agent
  - send_mail
  - name: outline
    description: Says what is to be done for an occasion
    parameters:
      occasion: { type: string }
    prompt: "What is to be done for {{occasion}}?"
---
You plan. Outline what is to be done, give it away, and sum it up.
`,
  "agents/writer.md": `---
name: writer
description: Writes invitations
tools: []
---
You write.
`,
  "agents/sender.md": `---
name: sender
description: Sends mails
tools: [send_mail]
---
You send.
`,
  "agents/critic.md": `---
name: critic
description: Judges invitations
tools: []
---
You judge.
`,
  "scripts/dinner.yaml": `scripts:
  - when: { system: the tool "outline" }
    turns: [{ text: An invitation and a reminder., usage: { input: 60, output: 8 } }]
  - when: { system: You write. }
    turns:
      - { text: Come to dinner!, usage: { input: 40, output: 5 } }
      - { expect: when, delay: 500ms, text: Come to dinner on Friday at seven!, usage: { input: 80, output: 9 } }
  - when: { system: You send. }
    turns:
      - calls: [{ tool: send_mail, input: { to: ada@example.com, text: Keep Friday free. } }]
        usage: { input: 50, output: 20 }
      - { expect: Sent, text: The reminder is out., usage: { input: 90, output: 6 } }
  - when: { system: You judge., prompt: Friday }
    turns: [{ text: '{ "verdict": "accept" }', usage: { input: 70, output: 6 } }]
  - when: { system: You judge. }
    turns: [{ text: '{ "verdict": "reject", "feedback": "It does not say when." }', usage: { input: 60, output: 16 } }]
  - turns:
      - { calls: [{ tool: outline, input: { occasion: a dinner } }], usage: { input: 300, output: 20 } }
      - calls:
          - tool: delegate
            input: { agent: writer, prompt: Write an invitation to dinner., validator: critic }
          - tool: spawn_agent
            input: { name: sender.md, prompt: Remind Ada of Friday. }
        usage: { input: 360, output: 60 }
      - { text: Both are at it., usage: { input: 460, output: 5 } }
      - { text: One of two is done., usage: { input: 520, output: 6 } }
      - { text: The invitation is written and the reminder is out., usage: { input: 600, output: 12 } }
`,
};
