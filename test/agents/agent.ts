import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ClientPlace } from "../clients/place.ts";

/** A program of others with which people work, and how it is started without a person and without its maker's model. */
export interface Agent {
  readonly title: string;
  /** Its name for `pegboard connect`. */
  readonly client: string;
  /** Whether it can be told of an address, with a token from its environment. */
  readonly http: boolean;
  start(stage: AgentStage): AgentStart;
}

/** Where an agent is started. */
export interface AgentStage {
  readonly place: ClientPlace;
  /** The address of the scripted model. */
  readonly model: string;
  /** A file of the packages that are installed. */
  installed(path: string): string;
  /** Writes a file into the person's home. */
  writeHome(path: string, text: string): void;
}

/** A command line, and what it needs in its environment. */
export interface AgentStart {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Runs before: a command that keeps settings. */
  readonly before?: readonly string[];
}

/** What every agent is asked for. */
export const PROMPT = "Greet Ada, then look what is there, then stumble";

/** How packages for one platform are named by many. */
export const PLATFORM = `${process.platform}-${process.arch}`;

/** A stage for one agent. */
export function makeAgentStage(place: ClientPlace, model: string, folder: string): AgentStage {
  return {
    place,
    model,
    installed: (path) => join(folder, "node_modules", path),
    writeHome(path, text) {
      mkdirSync(dirname(join(place.home, path)), { recursive: true });
      writeFileSync(join(place.home, path), text);
    },
  };
}
