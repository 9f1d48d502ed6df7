import type { Workspace } from "../../../src/node/index.ts";

/** A tool with a handler, in the words of a module. */
export const handler = (name: string, body: string) =>
  `{ name: "${name}", description: "does ${name}", schema: { type: "object" }, handler: async (host, input, meta) => { ${body} } }`;

/** A module that exports a plugin; `rest` are its other fields. */
export const module = (name: string, rest: string, before = "") =>
  `${before}\nexport default { name: "${name}", version: "1.0.0", ${rest} };\n`;

/** What a tool answers in a session of its own. */
export const text = async (workspace: Workspace, tool: string, input = {}) => {
  const { content, error } = await workspace.open({ approve: "all" }).call(tool, input);
  return error
    ? `${error.code}: ${error.message}`
    : content.map((block) => ("text" in block ? block.text : "")).join("");
};
