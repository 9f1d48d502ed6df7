import type { Tool } from "@pegboard/contract";
import { createRuntime, type Session } from "pegboard";

/** A session that sees tools of a package, and only those, and answers every question with yes. */
export function hang(tools: readonly Tool[]): Session {
  const runtime = createRuntime({ builtins: false, approve: "all" });
  runtime.tools.register(tools, { source: { kind: "package", id: "toolset" } });
  return runtime.open();
}
