import type { Approval, Json, Tool } from "@pegboard/contract";
import type { AnyTool } from "../../core/registry.ts";
import { type Prepared, PREPARE } from "../../core/sandbox.ts";
import type { Recipe } from "../load-recipe.ts";
import type { Isolate } from "./isolate.ts";
import type { SentDefinition, ToolRef } from "./protocol.ts";

/** Where the code of a tool is asked. */
export type RemotePlace = Pick<Isolate, "prepare" | "execute" | "ask" | "open">;

/** A tool whose code is elsewhere: it says what the definition says and passes every question on. */
export function toRemoteTool(
  definition: SentDefinition,
  isolate: RemotePlace,
  recipe: Recipe,
  index: number,
): AnyTool & Prepared {
  const { approval, summary, session, ...said } = definition;
  const tool = { recipe, index };
  const shared = {
    ...said,
    ...(approval !== undefined && { approval: toApproval(approval, isolate, tool) }),
    // Whoever asks for a summary waits for it.
    ...(summary && { summary: (input: Json) => isolate.ask("summary", tool, input) as unknown as string }),
    [PREPARE]: () => isolate.prepare(recipe),
  };
  if (session) return { ...shared, open: (view) => isolate.open(tool, view) };
  return { ...shared, execute: (input, context) => isolate.execute(tool, input as Json, context) };
}

function toApproval(approval: string, isolate: RemotePlace, tool: ToolRef): NonNullable<Tool["approval"]> {
  if (approval !== "function") return approval as Approval;
  return (input) => isolate.ask("approval", tool, input as Json) as Promise<Approval>;
}
