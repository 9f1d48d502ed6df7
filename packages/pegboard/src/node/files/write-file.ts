import { defineTool, type Tool } from "@pegboard/contract";
import { approveChange, type FileAccess, PATH } from "./access.ts";
import { changeFile } from "./change-file.ts";

/** The tool that makes a file, or replaces all of its text. */
export function writeFileTool(access: FileAccess): Tool {
  return defineTool({
    name: "write_file",
    description: "Write a text file: makes it, with its folders, or replaces all of its text. Tells what changed",
    input: {
      type: "object",
      properties: { path: PATH, content: { type: "string", description: "The whole text of the file" } },
      required: ["path", "content"],
      additionalProperties: false,
    },
    capabilities: ["write"],
    approval: approveChange(access),
    summary: ({ path, content }) => `Write ${path} (${content.length} characters)`,
    execute: ({ path, content }, { session }) =>
      changeFile(access, { path, session: session.id, make: true, apply: () => Buffer.from(content) }),
  });
}
