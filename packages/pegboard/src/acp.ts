export { type AcpConnection, type AcpWire, serveAcp } from "./transports/acp/door.ts";
export type { AcpDoorOptions } from "./transports/acp/door-options.ts";
export type { HangServer } from "./transports/acp/servers.ts";
