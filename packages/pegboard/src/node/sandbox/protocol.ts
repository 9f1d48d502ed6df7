import type {
  Capability,
  CallerKind,
  Failure,
  Json,
  JsonSchema,
  Result,
  SessionView,
  ToolContext,
} from "@pegboard/contract";
import type { LoadedRecipe, Recipe } from "../load-recipe.ts";
import type { ToClient, ToTool } from "./client-line.ts";
import type { ClientView, PluginRequest, SentPlugin, ToHost, ToPlugin } from "./plugin-protocol.ts";

/** What the outside asks for. Every request gets exactly one `reply` with its id, unless the other side ends before. */
export type Request =
  | { readonly type: "load"; readonly recipe: Recipe }
  | {
      readonly type: "execute";
      readonly tool: ToolRef;
      readonly instance?: number;
      readonly input: Json;
      readonly context: ContextView;
      readonly client?: ClientView;
    }
  | { readonly type: "approval" | "summary"; readonly tool: ToolRef; readonly input: Json }
  | { readonly type: "open"; readonly tool: ToolRef; readonly session: SessionView }
  | { readonly type: "dispose"; readonly instance: number }
  | PluginRequest;

/** To the inside: requests, the end of one, and results of calls that a tool makes. */
export type ToInside =
  | (Request & { readonly id: number })
  | { readonly type: "abort"; readonly id: number }
  | { readonly type: "called"; readonly id: number; readonly result: Result }
  | ToTool
  | ToPlugin;

/**
 * To the outside. `alive` answers an `abort` at once: whoever does not is stuck. `waiting` says that calls are under way
 * and nothing inside is left that could bring them to an end.
 */
export type ToOutside =
  | { readonly type: "reply"; readonly id: number; readonly value?: unknown; readonly error?: Failure }
  | {
      readonly type: "progress";
      readonly id: number;
      readonly message: string;
      readonly current?: number;
      readonly total?: number;
    }
  | { readonly type: "call"; readonly id: number; readonly of?: number; readonly tool: string; readonly input: Json }
  | ToHost
  | ToClient
  | { readonly type: "alive"; readonly id: number }
  | { readonly type: "waiting" };

/** A tool by the recipe it came with and its place among those tools. */
export interface ToolRef {
  readonly recipe: Recipe;
  readonly index: number;
}

/** What a tool is told of its call. */
export type ContextView = Pick<ToolContext, "callId" | "session" | "agent">;

/** All that can be said of a tool without its code. `approval: "function"` and `summary` are asked for inside. */
export interface SentDefinition {
  readonly name: string;
  readonly description: string;
  readonly input: JsonSchema;
  readonly output?: JsonSchema;
  readonly capabilities?: readonly Capability[];
  readonly approval?: string;
  readonly timeoutMs?: number | null;
  readonly requiredAgent?: string | readonly string[];
  readonly callers?: readonly CallerKind[];
  readonly version?: string;
  readonly category?: string;
  readonly summary: boolean;
  /** Whether it is opened once a session. */
  readonly session: boolean;
}

/** What loading yields. */
export interface SentTools extends Omit<LoadedRecipe, "tools" | "module"> {
  readonly tools: readonly SentDefinition[];
  /** Of a recipe for a plugin. */
  readonly plugin?: SentPlugin;
}
