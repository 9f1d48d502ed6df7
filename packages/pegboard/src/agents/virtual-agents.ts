import type { Agent } from "@pegboard/contract";
import type { Diagnostic } from "../core/diagnostic.ts";
import type { FileStore } from "../core/vfs.ts";
import { parseAgentFile } from "./agent-file.ts";
import type { VirtualAgent } from "./catalog.ts";

/** More than this is no agent's file. */
const MAX_CHARACTERS = 256 * 1024;

/**
 * The agents in virtual files: `agents/<name>.md`. They are read each time they are asked for, because any process may have
 * written them; a text that did not change is not read again.
 */
export function createVirtualAgents(files: FileStore): () => Promise<readonly VirtualAgent[]> {
  let known = new Map<string, { readonly text: string; readonly read: ReadText }>();
  return async () => {
    const paths = (await files.list()).filter(isAgentPath);
    const found = await Promise.all(paths.map((path) => files.read(path)));
    known = new Map(
      found.flatMap((file) => {
        if (!file) return [];
        const { path, text } = file;
        const before = known.get(path);
        return [[path, before?.text === text ? before : { text, read: readText(path, text) }]];
      }),
    );
    return Array.from(known, ([file, { read }]) => ({ file, ...read })).filter(hasAgent);
  };
}

/** What is wrong with a text as the file of an agent; nothing for a path that is no agent's. */
export function checkVirtualAgent(path: string, text: string): readonly Diagnostic[] {
  return isAgentPath(path) ? readText(path, text).diagnostics : [];
}

interface ReadText {
  readonly agent?: Agent;
  readonly diagnostics: readonly Diagnostic[];
}

function readText(file: string, text: string): ReadText {
  if (text.length > MAX_CHARACTERS) {
    const message = `it has ${text.length} characters; the file of an agent has at most ${MAX_CHARACTERS}`;
    return { diagnostics: [{ severity: "error", code: "not_loaded", message, file }] };
  }
  const { agent, diagnostics } = parseAgentFile(text, { file, name: file.slice("agents/".length, -".md".length) });
  if (!agent?.toolsets || Object.keys(agent.toolsets).length === 0) return { ...(agent && { agent }), diagnostics };
  // Whoever writes it is a model: it may say what to do with the tools that are there, and bring none.
  const { toolsets, ...bare } = agent;
  const message = `an agent in a virtual file brings no toolsets: ${Object.keys(toolsets).join(", ")} is left out`;
  return { agent: bare, diagnostics: [...diagnostics, { severity: "error", code: "not_allowed", message, file }] };
}

function isAgentPath(path: string): boolean {
  return /^agents\/[^/]+\.md$/.test(path) && path.toLowerCase() !== "agents/readme.md";
}

function hasAgent(read: ReadText & { readonly file: string }): read is VirtualAgent {
  return read.agent !== undefined;
}
