export type { McpConnection, Wire } from "./transports/mcp/connection.ts";
export { createMcpDoor, type McpDoor, type McpDoorOptions } from "./transports/mcp/door.ts";
export type { McpResource, McpResourceContent, McpResources, McpResourceTemplate } from "./transports/mcp/resources.ts";
export { toMcpServer, type ToMcpServerOptions } from "./transports/mcp/to-mcp-server.ts";
