import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Folder } from "../workspace-folder.ts";

/** Answers with its input, its variables of plugins, and where it runs. */
export const ECHO = `
let text = "";
process.stdin.on("data", (chunk) => (text += chunk)).on("end", () => {
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => key.startsWith("PLUGIN_") || key === "HOST_SECRET"));
  console.log(JSON.stringify({ input: JSON.parse(text), env, cwd: process.cwd() }));
});
`;

/** Unconfined, so that every machine shows the same. */
export const PLAIN =
  "version: 1\nsandbox: { mode: process }\npolicy: { rules: [{ tool: '*', approval: preApproved }] }\n";

/** A tool of a manifest that runs `echo.js`. */
export const echoTool = (name: string, more: object = {}) => ({
  name,
  description: `Runs ${name}`,
  command: "node",
  args: ["echo.js"],
  ...more,
});

/** The text of a manifest. */
export const manifest = (name: string, more: object = {}) =>
  JSON.stringify({ name, version: "1.0.0", description: "d", ...more }, null, 2);

/** The file of an agent. */
export const agentFile = (name: string, rest = "") =>
  `---\nname: ${name}\ndescription: The agent ${name}\n${rest}---\nYou are ${name}.\n`;

/** Writes a file among the person's own settings. */
export function writeHome({ home }: Folder, file: string, text: string): string {
  const path = join(home, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}
