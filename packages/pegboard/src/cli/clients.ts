import { homedir } from "node:os";
import { join } from "node:path";

/** How a client reaches Pegboard: it starts a program, or asks a server. */
export type Reach =
  | { readonly command: string; readonly args: readonly string[]; readonly url?: never }
  | { readonly url: string; readonly command?: never; readonly args?: never };

/** A client, and how it is told of a server. */
export interface ClientFormat {
  readonly title: string;
  /** Its file, for a workspace. */
  file(workspace: string): string;
  readonly format: "json" | "toml" | "yaml";
  /** The key that holds all servers: by their names, or, when it is a list, each with its name in it. */
  readonly key: string;
  readonly list?: true;
  /** What a new file must hold besides. */
  readonly head?: Readonly<Record<string, unknown>>;
  /** Which door it starts; `mcp` when absent. */
  readonly door?: "mcp" | "acp";
  /** One server as it stands there, under its name; undefined when the client cannot reach it like this. */
  entry(reach: Reach, name: string): Readonly<Record<string, unknown>> | undefined;
}

/** The variable that holds the token: no client is given the token itself, which would then be in its file. */
export const TOKEN_VARIABLE = "PEGBOARD_TOKEN";

const bearer = (reference: string) => ({ Authorization: `Bearer ${reference}` });
const inHome = (...path: string[]) => join(homedir(), ...path);

/** What most clients take: a command, and for HTTP what `http` makes of the address. */
const usual =
  (http?: (url: string) => Readonly<Record<string, unknown>>): ClientFormat["entry"] =>
  ({ command, args, url }) =>
    url === undefined ? { command, args } : http?.(url);

/** Every client that is known, by the name that it is asked for with. */
export const CLIENTS: Readonly<Record<string, ClientFormat>> = {
  claude: {
    title: "Claude Code",
    file: (workspace) => join(workspace, ".mcp.json"),
    format: "json",
    key: "mcpServers",
    entry: usual((url) => ({ type: "http", url, headers: bearer(`\${${TOKEN_VARIABLE}}`) })),
  },
  "claude-desktop": {
    title: "Claude Desktop",
    file: () => join(applications("Claude"), "claude_desktop_config.json"),
    format: "json",
    key: "mcpServers",
    entry: usual(),
  },
  cline: {
    title: "Cline CLI",
    file: () => inHome(".cline", "data", "settings", "cline_mcp_settings.json"),
    format: "json",
    key: "mcpServers",
    entry: ({ command, args }) => (command === undefined ? undefined : { transport: { type: "stdio", command, args } }),
  },
  codex: {
    title: "Codex",
    file: () => join(process.env["CODEX_HOME"] ?? inHome(".codex"), "config.toml"),
    format: "toml",
    key: "mcp_servers",
    entry: usual((url) => ({ url, bearer_token_env_var: TOKEN_VARIABLE })),
  },
  continue: {
    title: "Continue",
    file: () => inHome(".continue", "config.yaml"),
    format: "yaml",
    key: "mcpServers",
    list: true,
    head: { name: "Local", version: "1.0.0", schema: "v1" },
    entry: ({ command, args }, name) => (command === undefined ? undefined : { name, command, args }),
  },
  copilot: {
    title: "Copilot CLI",
    file: () => inHome(".copilot", "mcp-config.json"),
    format: "json",
    key: "mcpServers",
    entry: ({ command, args }) => (command === undefined ? undefined : { type: "local", command, args, tools: ["*"] }),
  },
  cursor: {
    title: "Cursor",
    file: (workspace) => join(workspace, ".cursor", "mcp.json"),
    format: "json",
    key: "mcpServers",
    entry: usual((url) => ({ url, headers: bearer(`\${env:${TOKEN_VARIABLE}}`) })),
  },
  gemini: {
    title: "Gemini CLI",
    file: (workspace) => join(workspace, ".gemini", "settings.json"),
    format: "json",
    key: "mcpServers",
    entry: usual((httpUrl) => ({ httpUrl, headers: bearer(`$${TOKEN_VARIABLE}`) })),
  },
  goose: {
    title: "goose",
    file: () => inHome(".config", "goose", "config.yaml"),
    format: "yaml",
    key: "extensions",
    entry: ({ command, args }, name) =>
      command === undefined ? undefined : { name, type: "stdio", cmd: command, args, enabled: true, timeout: 300 },
  },
  kimi: {
    title: "Kimi Code",
    file: () => join(process.env["KIMI_CODE_HOME"] ?? inHome(".kimi-code"), "mcp.json"),
    format: "json",
    key: "mcpServers",
    entry: usual(),
  },
  opencode: {
    title: "opencode",
    file: (workspace) => join(workspace, "opencode.json"),
    format: "json",
    key: "mcp",
    entry: ({ command, args, url }) =>
      url === undefined
        ? { type: "local", command: [command, ...args], enabled: true }
        : { type: "remote", url, headers: bearer(`{env:${TOKEN_VARIABLE}}`), enabled: true },
  },
  qwen: {
    title: "Qwen Code",
    file: (workspace) => join(workspace, ".qwen", "settings.json"),
    format: "json",
    key: "mcpServers",
    entry: usual((httpUrl) => ({ httpUrl, headers: bearer(`$${TOKEN_VARIABLE}`) })),
  },
  vscode: {
    title: "VS Code",
    file: (workspace) => join(workspace, ".vscode", "mcp.json"),
    format: "json",
    key: "servers",
    entry: ({ command, args, url }) =>
      url === undefined
        ? { type: "stdio", command, args }
        : { type: "http", url, headers: bearer(`\${env:${TOKEN_VARIABLE}}`) },
  },
  windsurf: {
    title: "Windsurf",
    file: () => inHome(".codeium", "windsurf", "mcp_config.json"),
    format: "json",
    key: "mcpServers",
    entry: usual((serverUrl) => ({ serverUrl, headers: bearer(`\${env:${TOKEN_VARIABLE}}`) })),
  },
  zed: {
    title: "Zed, its tools",
    file: () => zedSettings(),
    format: "json",
    key: "context_servers",
    entry: ({ command, args }) => (command === undefined ? undefined : { command, args, env: {} }),
  },
  "zed-agent": {
    title: "Zed, as an agent (ACP)",
    file: () => zedSettings(),
    format: "json",
    key: "agent_servers",
    door: "acp",
    entry: ({ command, args }) => (command === undefined ? undefined : { type: "custom", command, args, env: {} }),
  },
};

function zedSettings(): string {
  return process.platform === "win32"
    ? join(applications("Zed"), "settings.json")
    : inHome(".config", "zed", "settings.json");
}

/** Where programs with windows keep their settings. */
function applications(name: string): string {
  if (process.platform === "darwin") return inHome("Library", "Application Support", name);
  if (process.platform === "win32") return join(process.env["APPDATA"] ?? inHome("AppData", "Roaming"), name);
  return join(process.env["XDG_CONFIG_HOME"] ?? inHome(".config"), name);
}
