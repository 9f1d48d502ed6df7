import type { Agent } from "@pegboard/contract";
import type { Diagnostic } from "../core/diagnostic.ts";
import type { FileStore } from "../core/vfs.ts";
import type { VirtualAgent } from "./catalog.ts";

// Few have such agents, and every start would pay for reading them.
const reader = () => import("./agent-file.ts");

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
    const texts = found.filter((file) => file !== undefined);
    known = new Map(
      await Promise.all(
        texts.map(async ({ path, text }) => {
          const before = known.get(path);
          return [path, before?.text === text ? before : { text, read: await readText(path, text) }] as const;
        }),
      ),
    );
    return Array.from(known, ([file, { read }]) => ({ file, ...read })).filter(hasAgent);
  };
}

/** What is wrong with a text as the file of an agent; nothing for a path that is no agent's. */
export async function checkVirtualAgent(path: string, text: string): Promise<readonly Diagnostic[]> {
  return isAgentPath(path) ? (await readText(path, text)).diagnostics : [];
}

interface ReadText {
  readonly agent?: Agent;
  readonly diagnostics: readonly Diagnostic[];
}

async function readText(file: string, text: string): Promise<ReadText> {
  if (text.length > MAX_CHARACTERS) {
    const message = `it has ${text.length} characters; the file of an agent has at most ${MAX_CHARACTERS}`;
    return { diagnostics: [{ severity: "error", code: "not_loaded", message, file }] };
  }
  const { parseAgentFile } = await reader();
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
