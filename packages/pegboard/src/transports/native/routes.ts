import type { CommandType } from "./command-types.ts";

/** The HTTP method and path of every command; `{name}` is the session or a parameter. */
export const ROUTES = {
  ping: "GET /ping",
  capabilities: "GET /capabilities",
  "session.create": "POST /sessions",
  "session.list": "GET /sessions",
  "session.get": "GET /sessions/{session}",
  "session.info": "GET /sessions/{session}/info",
  "session.resume": "POST /sessions/{session}/resume",
  "session.close": "POST /sessions/{session}/close",
  "session.delete": "DELETE /sessions/{session}",
  prompt: "POST /sessions/{session}/prompt",
  "run.resume": "POST /sessions/{session}/runs/resume",
  cancel: "POST /sessions/{session}/cancel",
  "approval.list": "GET /approvals",
  "approval.answer": "POST /approvals/{approval}",
  "tools.list": "GET /sessions/{session}/tools",
  "tools.info": "GET /sessions/{session}/tools/{tool}",
  "tools.call": "POST /sessions/{session}/tools/{tool}",
  "agents.list": "GET /agents",
  "plugins.list": "GET /plugins",
  "runs.list": "GET /runs",
  events: "GET /sessions/{session}/events",
} as const satisfies Readonly<Record<CommandType, string>>;
