export { describeDiagnostic, type Diagnostic } from "../core/diagnostic.ts";
export type { FieldReport, FileReport } from "../core/file-report.ts";
export type { ShellRule } from "../tools/shell/rules.ts";
export { parseDuration } from "../core/duration.ts";
export { toLimits } from "../core/limits.ts";
export { type AgentText, lintAgent } from "./agents/lint-agent.ts";
export { type AuditProblem, type AuditReport, verifyLog } from "./audit.ts";
export { type CheckOptions, checkPaths } from "./check.ts";
export type { Config } from "./config-file.ts";
export { toJsonLines, writeEvents } from "./event-file.ts";
export { createFilesystem, type Filesystem, type FilesystemOptions } from "./files/filesystem.ts";
export type { FilesystemScope, Mount, MountOptions } from "./files/mounts.ts";
export { openInside } from "./files/read-inside.ts";
export { surviveLateErrors } from "./guard.ts";
export {
  type FileKind,
  type InspectedFile,
  type Inspection,
  type InspectOptions,
  inspectWorkspace,
} from "./inspect.ts";
export { createLocalMcpPool, type LocalMcpPoolOptions } from "./mcp/local-pool.ts";
export { describeProviders, type ProviderView } from "./models.ts";
export { BUNDLED_NAMES, readBundled } from "./plugins/bundled.ts";
export type { FoundPlugin } from "./plugins/discover.ts";
export { type Definitions, type PluginContents, toContents } from "./plugins/contents.ts";
export { diffContents, NO_CONTENTS, type PluginChange } from "./plugins/diff.ts";
export { lockDefinitions, type LockOptions } from "./plugins/lock-definitions.ts";
export type { LockedPlugin } from "./plugins/lock-file.ts";
export { noSuchPlugin } from "./plugins/no-such-plugin.ts";
export { draftAccept, draftAdd, draftUpdate, type DraftOptions, type PluginDraft } from "./plugins/plugin-draft.ts";
export { type PluginRun, pluginRuns } from "./plugins/plugin-runs.ts";
export {
  type Installed,
  installedAs,
  isUnchanged,
  linkPlugin,
  lockedIn,
  lockedNames,
  type PluginStore,
  readLinkable,
  removePlugin,
  userStore,
  workspaceStore,
} from "./plugins/plugin-store.ts";
export { scaffoldPlugin } from "./plugins/scaffold.ts";
export { forgetSettings, readStoredSettings, storeSettings } from "./plugins/stored-settings.ts";
export {
  type Switched,
  type SwitchFile,
  switchPlugin,
  userSwitches,
  workspaceSwitches,
} from "./plugins/switch-plugin.ts";
export { CONFIG_FILE, databaseFile, dataFolder, findWorkspace, userFolder } from "./places.ts";
export { policyFile } from "./policy-file.ts";
export { isProcessAlive } from "./process-identity.ts";
export { secretVariable, type SecretView, userRedactor, type UserSecrets, userSecrets } from "./secrets.ts";
export { createShell, type Shell, type ShellOptions } from "./shell/shell.ts";
export { describeSandbox, type SandboxReport } from "./sandbox/describe.ts";
export type { SandboxSettings } from "./sandbox/settings.ts";
export { type AcpLinesOptions, serveAcpLines } from "./serve/acp-lines.ts";
export { type NativeLinesOptions, serveNativeLines } from "./serve/native-lines.ts";
export { type McpLinesOptions, serveMcpLines } from "./serve/mcp-lines.ts";
export type { RunningServer, ServerOptions } from "./serve/serve-runtime.ts";
export { startServer } from "./serve/server.ts";
export { readSealKey, readToken, tokenFile } from "./serve/token.ts";
export { sqliteStore } from "./sqlite.ts";
export { type TestedRule, testPolicy } from "./test-policy.ts";
export { ruleNameProblem } from "./rule-names.ts";
export { recordTrust, type Trust, untrusted } from "./trust.ts";
export type { WebReach } from "./web/check-url.ts";
export type { WebSettings } from "./web/fetch-page.ts";
export { webTools, type WebToolsDeps, type WebToolsSettings } from "./web/tools.ts";
export { type Reading, readWorkspace } from "./read-workspace.ts";
export { openWorkspace, type Workspace, type WorkspaceOptions, type WorkspaceSessionOptions } from "./workspace.ts";
