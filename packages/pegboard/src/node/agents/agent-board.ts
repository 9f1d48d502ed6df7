import type { AgentCatalog } from "../../agents/catalog.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { messageOf } from "../../core/error.ts";
import type { ReadAgent } from "./read-agents.ts";

/** Keeps a catalog in step with the agents' files of a workspace and of the person. */
export interface AgentBoard {
  /** What keeps files from being agents as they are written. What is merely odd is told with the agent. */
  readonly errors: readonly Diagnostic[];
  /** Takes up what is new or has changed and lets go of what is gone. A file that broke leaves its agent as it was. */
  load(agents: readonly ReadAgent[], holds: (agent: ReadAgent) => boolean): void;
}

interface Hung {
  readonly signature: string;
  readonly held: boolean;
  readonly errors: readonly Diagnostic[];
  readonly registered?: Disposable | undefined;
}

/** Makes what keeps the catalog in step. It knows only what it registered itself. */
export function createAgentBoard(catalog: AgentCatalog): AgentBoard {
  const hung = new Map<string, Hung>();

  function hang(read: ReadAgent, held: boolean, present: Hung | undefined): Hung {
    const { agent, diagnostics, file, layer } = read;
    const signature = signatureOf(read);
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    // A file that is being edited must not take its agent away. What is held says nothing yet.
    if (present?.registered && !present.held && isBroken(read))
      return { ...present, signature, held, errors: errors.map((error) => ({ file, ...error })) };
    present?.registered?.[Symbol.dispose]();
    if (!agent) return { signature, held, errors };
    try {
      return { signature, held, errors, registered: catalog.register(agent, { layer, file, diagnostics, held }) };
    } catch (error) {
      return {
        signature,
        held,
        errors: [...errors, { severity: "error", code: "not_loaded", message: messageOf(error), file }],
      };
    }
  }

  return {
    get errors() {
      return Array.from(hung.values(), ({ errors }) => errors).flat();
    },
    load(agents, holds) {
      for (const read of agents) {
        const present = hung.get(read.file);
        const held = holds(read);
        if (present?.signature === signatureOf(read) && present.held === held) continue;
        hung.set(read.file, hang(read, held, present));
      }
      for (const [file, { registered }] of hung) {
        if (agents.some((read) => read.file === file)) continue;
        registered?.[Symbol.dispose]();
        hung.delete(file);
      }
    },
  };
}

/** Changes exactly when the file must be taken up anew. */
function signatureOf({ text, agent, diagnostics, importedFiles }: ReadAgent): string {
  return JSON.stringify([text, agent?.instructions, diagnostics, importedFiles]);
}

/** Nothing came of the file, or no more than its text. */
function isBroken({ agent, rung, diagnostics }: ReadAgent): boolean {
  return agent === undefined || (rung === "none" && diagnostics.some(({ severity }) => severity === "error"));
}
