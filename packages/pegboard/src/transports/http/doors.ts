import type { Desk } from "../desk.ts";
import { createMcpDoor, type McpDoor, type McpDoorOptions } from "../mcp/door.ts";
import { createSseDoor } from "../mcp/sse.ts";
import type { NativeDeps } from "../native/command.ts";
import { createNative, type NativeOptions } from "../native/native.ts";
import type { HttpAppOptions } from "./app.ts";
import { createNativeRoutes } from "./native-routes.ts";

/** The doors that HTTP reaches, and what is behind them. */
export interface HttpDoors extends Required<Pick<HttpAppOptions, "doors" | "routes">> {
  readonly mcp: McpDoor;
  readonly native: NativeDeps;
}

/** Hangs the doors that HTTP reaches before a desk. `base` is the path below which they are. */
export function createHttpDoors(desk: Desk, options: McpDoorOptions & NativeOptions, base = ""): HttpDoors {
  const mcp = createMcpDoor(desk, options);
  const sse = createSseDoor(mcp);
  const native = createNative(desk, options);
  return {
    mcp,
    native,
    doors: {
      "/mcp": (request, principal) => mcp.fetch(request, principal),
      "/sse": (request, principal) => sse.fetch(request, principal),
    },
    routes: { "/v1": createNativeRoutes(native, { base: `${base}/v1` }) },
  };
}
