export { definePlugin, defineTool, ERRORS, fail } from "@pegboard/contract";
export type {
  Agent,
  Approval,
  AttachmentLimits,
  CallClient,
  CallView,
  Capability,
  ClientMethod,
  Command,
  Content,
  ErrorCode,
  Failure,
  GateAnswer,
  Hooks,
  Json,
  JsonSchema,
  LogLevel,
  Plugin,
  PluginHost,
  Prompt,
  PromptArgument,
  PromptMessage,
  PromptTool,
  Requirements,
  Resource,
  ResourceContent,
  Result,
  RunAnswer,
  RunOutcome,
  RunView,
  SessionTool,
  SessionView,
  Skill,
  TaskView,
  ThreadHooks,
  Tool,
  ToolContext,
  ToolInstance,
  TurnAnswer,
  TurnView,
  Verdict,
} from "@pegboard/contract";
export type { AgentSource } from "./agents/agent-source.ts";
export type { DelegationOptions } from "./agents/task-judges.ts";
export type { AgentCatalog, AgentEntry, RegisterAgentOptions } from "./agents/catalog.ts";
export type { PooledView, PoolStats } from "./agents/pool.ts";
export type { ApprovalAnswer, ApprovalRequest, ApproveMode, Approver, Remember } from "./core/approval.ts";
export { fillCommand } from "./core/command-prompt.ts";
export { messageOf, PegboardError } from "./core/error.ts";
export { type Event, type EventData, type EventType, LOG_SESSION } from "./core/event.ts";
export { eventPages } from "./core/event-pages.ts";
export { answerApproval, type ApprovalRecord, findApproval, listApprovals } from "./core/inbox.ts";
export type { Limits } from "./core/limits.ts";
export type { Decision, PolicyOptions, Vote } from "./core/policy.ts";
export type { Question } from "./core/question.ts";
export { createRedactor, type Redactor } from "./core/redact.ts";
export { type AnyTool, type RegisterOptions, Registry, type ToolSource } from "./core/registry.ts";
export type { Rule } from "./core/rule.ts";
export type { Secrets } from "./core/secret.ts";
export type { Budget } from "./core/budget.ts";
export type { Attachment, ResumeOptions, Run, RunOptions } from "./core/run.ts";
export type { RunResult } from "./core/run-result.ts";
export type { Chat, ChatOptions } from "./core/chat.ts";
export type { Message, Model, ModelPart, ModelRequest, Models, Usage } from "./core/model.ts";
export type { Session } from "./core/session.ts";
export type { CallOptions, ExplainOptions, SessionOptions } from "./core/session-options.ts";
export type { Shelf, Shelved } from "./core/shelf.ts";
export type { TaskRecord } from "./core/task-record.ts";
export type { ToolView } from "./core/tool-view.ts";
export type { Price } from "./models/price.ts";
export { readScript } from "./models/read-script.ts";
export { scriptedModel, type ScriptedModel } from "./models/scripted.ts";
export type { Script, ScriptedTurn, Turn } from "./models/script.ts";
export { createMetrics, type Metrics, type MetricsOptions, type ToolMetrics } from "./observe/metrics.ts";
export type { RunRecord, RunStatus, SessionRecord } from "./agents/session-records.ts";
export { createSessions, type SessionDetails, type Sessions, type SessionsDeps } from "./agents/sessions.ts";
export type { PluginFormat, PluginOrigin } from "./plugins/loaded-plugin.ts";
export type { PluginEntry } from "./plugins/plugin-entry.ts";
export type { ComponentView, PluginView } from "./plugins/plugin-view.ts";
export type { Plugins } from "./plugins/plugins.ts";
export type { ComponentKind, SwitchedOff } from "./plugins/shelves.ts";
export { createRuntime, type OpenOptions, type PluginsOptions, type Runtime, type RuntimeOptions } from "./runtime.ts";
export { fromHostTool, type HostToolDefinition } from "./sources/host-tool.ts";
export { type AttachedServer, attachMcpServer, type AttachOptions } from "./sources/mcp/attach-server.ts";
export type { Pinned, PinStore } from "./sources/mcp/pins.ts";
export { pluginMcpServers, type PluginServersDeps } from "./sources/mcp/plugin-servers.ts";
export { createMcpPool, type McpPool, type McpPoolOptions } from "./sources/mcp/pool.ts";
export type { EventFilter } from "./stores/event-filter.ts";
export { memoryStore } from "./stores/memory.ts";
export type { EventQuery, Store } from "./stores/store.ts";
export { type SearchChoice, toSearchProvider } from "./tools/search/provider.ts";
export type { SearchDeps } from "./tools/search/request.ts";
export type { SearchAnswer, SearchRequest, SendSearch } from "./tools/search/send.ts";
export { type WebFetchDeps, type WebFetchSettings, webFetchTool } from "./tools/web-fetch.ts";
export { type SearchProvider, type SearchResult, type WebSearchDeps, webSearchTool } from "./tools/web-search.ts";
export { fetchPageInBrowser } from "./tools/web/browser-page.ts";
export type { FetchPage, FetchPageOptions, Page } from "./tools/web/page.ts";
export { createDesk, type Desk, type DeskOptions, type DeskSessionOptions } from "./transports/desk.ts";
export type { Principal } from "./transports/principal.ts";
export { VERSION } from "./version.ts";
