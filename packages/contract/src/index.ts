export type { Agent, AttachmentLimits, PromptTool, ReasoningEffort, Requirements } from "./agent.ts";
export type { CallClient, ClientMethod, LogLevel } from "./client.ts";
export { ERRORS, type ErrorCode } from "./error.ts";
export type {
  CallView,
  GateAnswer,
  Hooks,
  RunAnswer,
  RunOutcome,
  RunView,
  TaskView,
  ThreadHooks,
  ThreadResult,
  TurnAnswer,
  TurnView,
  Verdict,
} from "./hooks.ts";
export {
  type Command,
  definePlugin,
  type McpServer,
  type Plugin,
  type PluginCallMeta,
  type PluginHost,
  type PluginStatus,
  type PluginTool,
  type Skill,
} from "./plugin.ts";
export type { Prompt, PromptArgument, PromptMessage } from "./prompt.ts";
export type { Resource, ResourceContent } from "./resource.ts";
export { type Content, fail, type Failure, type Result, type ResultMeta, type ToolReturn } from "./result.ts";
export type { FromJsonSchema, Infer, Json, JsonSchema, Schema, StandardSchema } from "./schema.ts";
export {
  type Approval,
  type CallerKind,
  type Capability,
  defineTool,
  type SessionTool,
  type SessionView,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolInstance,
} from "./tool.ts";
