import type { AgentContext, FileSystemCapabilities } from "@agentclientprotocol/sdk";
import { defineTool, type Tool } from "@pegboard/contract";
import { askClient } from "./ask-client.ts";

const PATH = { type: "string", pattern: "^(/|[A-Za-z]:[\\\\/])", description: "Absolute path of the file" } as const;

/**
 * The tools for files as the client has them, also with what is not saved yet; those that the client says it can do. They
 * ask by default: the client's files are not held to the folders of this workspace.
 */
export function clientFileTools(client: AgentContext, { readTextFile, writeTextFile }: FileSystemCapabilities): Tool[] {
  return [...(readTextFile ? [readTool(client)] : []), ...(writeTextFile ? [writeTool(client)] : [])];
}

function readTool(client: AgentContext): Tool {
  return defineTool({
    name: "client_read_file",
    description: "Read a text file as the editor of the person has it, with changes that are not saved yet",
    input: {
      type: "object",
      properties: {
        path: PATH,
        line: { type: "integer", minimum: 1, description: "The first line to read" },
        limit: { type: "integer", minimum: 1, description: "How many lines" },
      },
      required: ["path"],
      additionalProperties: false,
    },
    capabilities: ["read"],
    approval: "ask",
    summary: ({ path }) => `Read ${path} in the editor`,
    async execute(input, { session, signal }) {
      const request = { sessionId: session.id, ...input };
      const { content } = await askClient(client, "fs/read_text_file", request, signal);
      return { content: [{ type: "text", text: content }], meta: { kind: "file_content" } };
    },
  }) as Tool;
}

function writeTool(client: AgentContext): Tool {
  return defineTool({
    name: "client_write_file",
    description: "Write a text file through the editor of the person: makes it, or replaces all of its text",
    input: {
      type: "object",
      properties: { path: PATH, content: { type: "string", description: "The whole text of the file" } },
      required: ["path", "content"],
      additionalProperties: false,
    },
    capabilities: ["write"],
    approval: "ask",
    summary: ({ path, content }) => `Write ${path} in the editor (${content.length} characters)`,
    async execute({ path, content }, { session, signal }) {
      await askClient(client, "fs/write_text_file", { sessionId: session.id, path, content }, signal);
      return `Wrote ${path} (${content.length} characters)`;
    },
  }) as Tool;
}
