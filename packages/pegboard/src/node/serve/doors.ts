import { messageOf } from "../../core/error.ts";
import type { Desk } from "../../transports/desk.ts";
import { createHttpDoors, type HttpDoors } from "../../transports/http/doors.ts";
import type { Wire } from "../../transports/mcp/connection.ts";
import type { McpDoor, McpDoorOptions } from "../../transports/mcp/door.ts";
import { Intake } from "../../transports/mcp/intake.ts";
import type { PluginView } from "../../transports/native/command-types.ts";
import { serveSocket } from "../../transports/native/connection.ts";
import type { NativeOptions } from "../../transports/native/native.ts";
import { createFlow, type Flow, type Socket } from "../../transports/native/socket.ts";
import type { SocketDoor } from "./sockets.ts";

/** Every door of a server, and where it hangs. */
export interface Doors extends Pick<HttpDoors, "doors" | "routes"> {
  /** By the protocol that a WebSocket offers. */
  readonly sockets: Readonly<Record<string, SocketDoor>>;
  /** How the plugins stand. */
  plugins(): readonly PluginView[];
  /** Ends every stream. */
  close(): Promise<void>;
}

/** How doors present themselves. */
export interface DoorsOptions extends McpDoorOptions, NativeOptions {}

/** Hangs every door before a desk. */
export function createDoors(desk: Desk, options: DoorsOptions): Doors {
  const { mcp, native, doors, routes } = createHttpDoors(desk, options);
  return {
    doors,
    routes,
    sockets: {
      pegboard(socket, principal, query) {
        const session = query.get("session");
        void serveSocket(socket, { native, principal, greets: true, ...(session !== null && { session }) });
      },
      mcp: mcpSocket(mcp),
    },
    plugins: native.plugins,
    close: () => mcp.close(),
  };
}

const TRY_LATER = 1013;

function mcpSocket(mcp: McpDoor): SocketDoor {
  return (socket, principal) => {
    const wire = new SocketWire(socket);
    const intake = new Intake(wire, (paced) => mcp.connect(principal, paced));
    let held = 0;
    socket.onMessage((text) => {
      try {
        const taken = intake.take(text);
        if (!taken) return;
        if (held++ === 0) socket.pause?.();
        void taken.then(() => --held === 0 && socket.resume?.());
      } catch (error) {
        socket.close(TRY_LATER, messageOf(error));
      }
    });
    socket.onClose(() => {
      wire.aborted = true;
      void intake.connection.close();
    });
  };
}

/** A WebSocket as a line of MCP. */
class SocketWire implements Wire {
  readonly #socket: Socket;
  readonly #flow: Flow;
  /** Whether the client is gone. */
  aborted = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#flow = createFlow(socket, this);
  }

  send(text: string): Promise<void> | void {
    const room = this.#flow.room(text.length);
    if (room) return room.then(() => this.#socket.send(text));
    this.#socket.send(text);
  }

  close(): void {
    this.#socket.close(1000, "");
  }
}
