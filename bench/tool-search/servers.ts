/** A published MCP server whose tools are searched. What it is given is enough to be asked for its tools, and no real key. */
export interface SearchedServer {
  /** The first part of the names of its tools. */
  readonly name: string;
  readonly package: string;
  readonly version: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Servers of exact versions: their texts change, and with them what is found. */
export const SERVERS: readonly SearchedServer[] = [
  {
    name: "github",
    package: "@modelcontextprotocol/server-github",
    version: "2025.4.8",
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: "x" },
  },
  {
    name: "slack",
    package: "@modelcontextprotocol/server-slack",
    version: "2025.4.25",
    env: { SLACK_BOT_TOKEN: "x", SLACK_TEAM_ID: "T1" },
  },
  { name: "files", package: "@modelcontextprotocol/server-filesystem", version: "2026.8.31", args: ["/tmp"] },
  { name: "memory", package: "@modelcontextprotocol/server-memory", version: "2026.8.31" },
  { name: "playwright", package: "@playwright/mcp", version: "0.0.83" },
  { name: "notion", package: "@notionhq/notion-mcp-server", version: "2.5.2", env: { NOTION_TOKEN: "x" } },
  { name: "chrome", package: "chrome-devtools-mcp", version: "1.11.0" },
  {
    name: "hubspot",
    package: "@hubspot/mcp-server",
    version: "0.4.0",
    env: { PRIVATE_APP_ACCESS_TOKEN: "pat-na1-x" },
  },
  { name: "airtable", package: "airtable-mcp-server", version: "1.14.0", env: { AIRTABLE_API_KEY: "x" } },
  { name: "bitwarden", package: "@bitwarden/mcp-server", version: "2026.7.0", env: { BW_SESSION: "x" } },
  {
    name: "trello",
    package: "@delorenj/mcp-server-trello",
    version: "1.8.1",
    env: { TRELLO_API_KEY: "x", TRELLO_TOKEN: "x" },
  },
  { name: "asana", package: "@roychri/mcp-server-asana", version: "1.8.0", env: { ASANA_ACCESS_TOKEN: "x" } },
  {
    name: "datadog",
    package: "@winor30/mcp-server-datadog",
    version: "1.8.0",
    env: { DATADOG_API_KEY: "x", DATADOG_APP_KEY: "x" },
  },
  {
    name: "xero",
    package: "@xeroapi/xero-mcp-server",
    version: "0.0.17",
    env: { XERO_CLIENT_ID: "x", XERO_CLIENT_SECRET: "x" },
  },
  { name: "linear", package: "@tacticlaunch/mcp-linear", version: "1.4.3", env: { LINEAR_API_TOKEN: "x" } },
];
