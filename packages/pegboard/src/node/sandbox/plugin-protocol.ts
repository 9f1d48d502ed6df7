import type { CallClient, Json, Plugin, PluginTool, Prompt, Resource, Skill } from "@pegboard/contract";
import type { Diagnostic } from "../../core/diagnostic.ts";
import type { PluginRecipe } from "../load-recipe.ts";

/** The steps of a plugin's life. */
export const STEPS = ["register", "start", "onStartFailed", "stop"] as const;
export type PluginStep = (typeof STEPS)[number];

/** What a module that should be a plugin turned out to be. */
export interface SentPlugin {
  /** Absent when an error is among the diagnostics. */
  readonly parts?: SentParts;
  readonly diagnostics: readonly Diagnostic[];
}

/** All that can be said of a plugin without its code. */
export interface SentParts extends Omit<Plugin, "tools" | "skills" | "prompts" | "resources" | PluginStep> {
  /** Tools with a handler as they are, and the place of each other one among the tools of the recipe. */
  readonly tools?: readonly (Omit<PluginTool, "handler"> | { readonly index: number })[];
  readonly skills?: readonly SentSkill[];
  readonly prompts?: readonly SentPrompt[];
  readonly resources?: readonly SentResource[];
  /** Which steps it has. */
  readonly steps: readonly PluginStep[];
}

/** A skill, and which of its functions there are besides `read`. */
export interface SentSkill extends Pick<Skill, "name" | "description" | "tools" | "forModels"> {
  readonly has: readonly ("list" | "readFile")[];
}

/** A prompt, and whether it completes its arguments. */
export interface SentPrompt extends Pick<Prompt, "name" | "description" | "arguments"> {
  readonly completes: boolean;
}

/** A resource, and whether it says when it changes. */
export interface SentResource extends Pick<Resource, "name" | "description" | "mimeType" | "uri"> {
  readonly watched: boolean;
}

/** A function of a plugin. Steps and handlers get the plugin's host before their arguments. */
export type PluginTarget =
  | { readonly kind: "step"; readonly name: PluginStep }
  | { readonly kind: "handler"; readonly index: number }
  | { readonly kind: "hook"; readonly name: string }
  | { readonly kind: "skill"; readonly index: number; readonly name: "read" | "list" | "readFile" }
  | { readonly kind: "prompt"; readonly index: number; readonly name: "get" | "complete" }
  | { readonly kind: "resource"; readonly index: number };

/** The request to call a function of a plugin. A handler is also told where its call comes from, a prompt for whom it is. */
export interface PluginRequest {
  readonly type: "plugin";
  readonly recipe: PluginRecipe;
  readonly target: PluginTarget;
  readonly args: readonly SentValue[];
  readonly meta?: { readonly threadId: string; readonly traceId: string; readonly taskId?: string };
  readonly client?: ClientView;
}

/** What code in another process is told of the client of its call. */
export type ClientView = Pick<CallClient, "methods" | "comesBack">;

/** A value on its way: nothing at all, JSON, bytes, or an error. */
export interface SentValue {
  readonly value?: Json;
  readonly base64?: string;
  readonly error?: SentError;
}

/** An error; `ours` is one whose code is of our table. */
export interface SentError {
  readonly message: string;
  readonly code?: string;
  readonly retryable?: boolean;
  readonly ours?: boolean;
  readonly details?: Json;
}

/** What a function returned or, when `thrown`, threw. Of `register`, the hooks that it returned. */
export interface SentReturn {
  readonly returned?: SentValue;
  readonly thrown?: SentError;
  readonly hooks?: { readonly names: readonly string[]; readonly priority?: number };
}

/** To the inside, about the plugin as a whole. */
export type ToPlugin =
  | { readonly type: "settings"; readonly settings: Json }
  | { readonly type: "stopping" }
  /** What is at an address of a resource is to be watched, until it is not any more. */
  | { readonly type: "watch"; readonly watch: number; readonly index: number; readonly uri: string }
  | { readonly type: "unwatch"; readonly watch: number }
  | { readonly type: "ran"; readonly id: number; readonly text?: string; readonly error?: SentError };

/** To the outside: what a plugin asks of its host; `of` is the request during which it does, if any. */
export type ToHost =
  | {
      readonly type: "run";
      readonly id: number;
      readonly of?: number;
      readonly prompt: string;
      readonly options: { readonly agent?: string; readonly model?: string; readonly task?: string };
    }
  | { readonly type: "report"; readonly status: "healthy" | "degraded"; readonly reason?: string }
  | { readonly type: "broadcast"; readonly topic: string; readonly data: Json }
  | { readonly type: "watched"; readonly watch: number };
