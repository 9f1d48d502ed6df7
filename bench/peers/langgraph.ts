import { existsSync } from "node:fs";
import type { Contestant } from "../measure.ts";

const FOLDER = new URL("../langgraph/", import.meta.url);

/** How LangGraph is brought to where it is looked for. */
export const HOW_TO_INSTALL = "npm ci --prefix bench/langgraph --ignore-scripts";

/** What a graph is made with; `firm` is on the disk before the next step, as our store has it. */
export interface GraphOptions {
  readonly turns: number;
  readonly firm: boolean;
}

/** A loop of turns with one call each, on SQLite. */
export interface Graph extends Contestant {
  close(): void;
}

/** LangGraph with its own SQLite checkpointer, or undefined where it is not installed: its packages have a folder of their own. */
export async function langGraph(name: string, file: string, options: GraphOptions): Promise<Graph | undefined> {
  if (!existsSync(new URL("node_modules", FOLDER))) return undefined;
  const { createGraph } = (await import(new URL("graph.js", FOLDER).href)) as {
    createGraph(file: string, options: GraphOptions): Omit<Graph, "name">;
  };
  return { name, ...createGraph(file, options) };
}
