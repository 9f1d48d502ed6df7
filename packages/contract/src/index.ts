export type { Agent, AttachmentLimits, PromptTool, ReasoningEffort, Requirements } from "./agent.ts";
export { ERRORS, type ErrorCode } from "./error.ts";
export {
  type CallView,
  definePlugin,
  type GateAnswer,
  type Hooks,
  type Plugin,
  type PluginHost,
  type TaskView,
  type Verdict,
} from "./plugin.ts";
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
