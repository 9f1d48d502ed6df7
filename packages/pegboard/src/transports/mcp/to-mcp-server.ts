import type { Server } from "@modelcontextprotocol/server";
import type { Session } from "../../core/session.ts";
import { VERSION } from "../../version.ts";
import { createSeal } from "./seal.ts";
import { createMcpServer, type McpServerOptions, tellListChange } from "./server.ts";
import { SessionCalls } from "./session-calls.ts";
import { SessionTasks } from "./session-tasks.ts";

/** How a session presents itself. */
export type ToMcpServerOptions = Partial<McpServerOptions>;

/**
 * A session as a server of MCP for a program that holds it itself, such as the Claude Agent SDK, which takes it as
 * `{ type: "sdk", name, instance }`. Undefined for a session without tools: there would be nothing to serve. The session is
 * the caller's to close.
 */
export function toMcpServer(session: Session, options: ToMcpServerOptions = {}): Server | undefined {
  if (session.list().length === 0) return undefined;
  const calls = new SessionCalls(session);
  const server = createMcpServer(
    {
      era: "legacy",
      session,
      calls,
      tasks: new SessionTasks(),
      principal: session.id,
      seal: createSeal(1_000),
      enter: () => NOTHING,
    },
    { name: "pegboard", version: VERSION, ...options },
  );
  const tell = () => tellListChange(server, "legacy", "tools");
  // The log tells of the runtime's tools; those of the session alone are not in it.
  const watching = [
    session.listen(({ type }) => void (type === "tools-change" && tell())),
    session.tools.onChange(tell),
  ];
  server.onclose = () => {
    for (const one of watching) one[Symbol.dispose]();
    calls[Symbol.dispose]();
  };
  return server;
}

const NOTHING: Disposable = { [Symbol.dispose]() {} };
