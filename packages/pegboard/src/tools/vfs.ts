import { defineTool, type Json, type Tool } from "@pegboard/contract";
import type { Diagnostic } from "../core/diagnostic.ts";
import { PegboardError } from "../core/error.ts";
import { parseVfsPath, parseVfsPrefix } from "../core/vfs-path.ts";
import type { FileStore } from "../core/vfs.ts";
import { checkScope, listReadable, missingFile, type VfsScope } from "./vfs-scope.ts";

export type { VfsScope } from "./vfs-scope.ts";

/** What the virtual file tools work on. */
export interface VfsDeps {
  readonly files: FileStore;
  /** A path must be inside every one of them, so that adding one can only narrow. */
  readonly scope?: readonly VfsScope[];
  /** How many versions of each file are kept; 20 when absent, at least 1. */
  readonly versions?: number;
  /** What is wrong with a text as the file of an agent; nothing for a path that is no agent's. */
  checkAgent?(path: string, text: string): Promise<readonly Diagnostic[]>;
}

const MAX_FILE_BYTES = 8 * 1024 * 1024;
const PATH = { type: "string", description: "Path of the file, such as notes/a.md" } as const;

/**
 * The tools for virtual files: `vfs_read`, `vfs_write`, `vfs_list`, `vfs_delete`. A path means exactly one file: nothing is
 * guessed. Throws `invalid_config` for an impossible number of versions.
 */
export function vfsTools(deps: VfsDeps): Tool[] {
  const { files, scope = [], versions = 20 } = deps;
  if (!Number.isSafeInteger(versions) || versions < 1) {
    throw new PegboardError("invalid_config", `versions must be a whole number from 1 on, it is ${versions}`);
  }
  const write = writeTool(files, scope, versions, deps.checkAgent);
  return [readTool(files, scope), write, listTool(files, scope), deleteTool(files, scope)];
}

function readTool(files: FileStore, scope: readonly VfsScope[]): Tool {
  return defineTool({
    name: "vfs_read",
    description: "Read a file of the workspace's virtual files",
    input: { type: "object", properties: { path: PATH }, required: ["path"], additionalProperties: false },
    capabilities: ["state"],
    async execute(input) {
      const path = parseVfsPath(input.path);
      checkScope(scope, "read", path);
      const file = await files.read(path);
      if (file === undefined) throw await missingFile(files, scope, path);
      const { version, text } = file;
      return toResult(text, { path, version, text }, "file_content");
    },
  });
}

function writeTool(
  files: FileStore,
  scope: readonly VfsScope[],
  versions: number,
  checkAgent: VfsDeps["checkAgent"],
): Tool {
  return defineTool({
    name: "vfs_write",
    description: "Write a file of the workspace's virtual files: makes it, or replaces all of its text",
    input: {
      type: "object",
      properties: { path: PATH, content: { type: "string", description: "The whole text of the file" } },
      required: ["path", "content"],
      additionalProperties: false,
    },
    capabilities: ["state"],
    summary: ({ path, content }) => `Write ${path} (${content.length} characters)`,
    async execute(input, { agent, callId }) {
      const path = parseVfsPath(input.path);
      checkScope(scope, "write", path);
      const text = parseText(input.content, path);
      const file = { path, text, at: Date.now(), call: callId, ...(agent && { agent: agent.name }) };
      const { version } = await files.write(file, versions);
      const characters = text.length;
      const diagnostics = (await checkAgent?.(path, text)) ?? [];
      const reply = [`Wrote ${path} (${characters} characters, version ${version})`, ...diagnostics.map(describe)];
      return toResult(reply.join("\n"), {
        path,
        characters,
        version,
        created: version === 1,
        ...(diagnostics.length > 0 && { diagnostics: diagnostics.map((diagnostic) => ({ ...diagnostic })) }),
      });
    },
  });
}

function listTool(files: FileStore, scope: readonly VfsScope[]): Tool {
  return defineTool({
    name: "vfs_list",
    description: "List the paths of the workspace's virtual files, all or those under a folder",
    input: {
      type: "object",
      properties: { prefix: { type: "string", description: "Folder, such as notes; absent or empty is everything" } },
      additionalProperties: false,
    },
    capabilities: ["state"],
    async execute(input) {
      const prefix = input.prefix === undefined ? "" : parseVfsPrefix(input.prefix);
      const readable = await listReadable(files, scope);
      const found = prefix === "" ? readable : readable.filter((path) => `${path}/`.startsWith(`${prefix}/`));
      const text = found.length === 0 ? explainNone(prefix, readable) : JSON.stringify(found);
      return toResult(text, found, "file_list");
    },
  });
}

function deleteTool(files: FileStore, scope: readonly VfsScope[]): Tool {
  return defineTool({
    name: "vfs_delete",
    description: "Delete a file of the workspace's virtual files, with all of its versions",
    input: { type: "object", properties: { path: PATH }, required: ["path"], additionalProperties: false },
    capabilities: ["state"],
    summary: ({ path }) => `Delete ${path} with all of its versions`,
    async execute(input) {
      const path = parseVfsPath(input.path);
      checkScope(scope, "write", path);
      if (!(await files.delete(path))) throw await missingFile(files, scope, path);
      return toResult(`Deleted ${path}`, { path });
    },
  });
}

/** The text to keep. A lone surrogate has no bytes: it becomes U+FFFD here, so that every store keeps the same. */
function parseText(content: unknown, path: string): string {
  if (typeof content !== "string")
    throw new PegboardError("invalid_input", `The content of "${path}" must be a string`);
  const tooLong = content.length > MAX_FILE_BYTES || new TextEncoder().encode(content).length > MAX_FILE_BYTES;
  if (tooLong) {
    throw new PegboardError(
      "invalid_input",
      `The content of "${path}" is more than 8 MiB: split it into several files`,
    );
  }
  return content.toWellFormed();
}

// The file is the one that was written: its name says nothing new.
function describe({ severity, line, message, fix }: Diagnostic): string {
  return `${severity}${line === undefined ? "" : ` in line ${line}`}: ${message}${fix ? ` (${fix})` : ""}`;
}

function explainNone(prefix: string, readable: readonly string[]): string {
  if (readable.length === 0) return "There are no files yet";
  const folders = new Set(readable.flatMap((path) => (path.includes("/") ? [path.slice(0, path.indexOf("/"))] : [])));
  const where = folders.size === 0 ? "all files are at the top" : `there are files under ${[...folders].join(", ")}`;
  return `No file is under "${prefix}": ${where}`;
}

function toResult(text: string, structured: Json, kind?: string) {
  return { content: [{ type: "text", text }], structured, meta: kind === undefined ? {} : { kind } };
}
