import type { Field, Findings } from "./field.ts";
import { type Mode, readMode, readPermissionMode } from "./mode-field.ts";
import { rightOf, type Spelling } from "./rights.ts";
import { type AgentTools, readTools } from "./tools-field.ts";

/** Reads everything that says what an agent may do, in whichever spelling. */
export function readRights(fields: Iterable<Field>, findings: Findings): AgentTools & { readonly mode: Mode } {
  const rights = new Map<Spelling["field"], Field>();
  let servers: Field | undefined;
  for (const field of fields) {
    if (field.path === "mcpServers") servers = field;
    const spelling = rightOf(field.path);
    if (!spelling) continue;
    const { field: right, own } = spelling;
    const twin = rights.get(right);
    if (twin) refuseTwin(field, twin, findings);
    rights.set(right, field);
    findings.became(field.path, own === undefined ? "mapped" : "approximated", own && `read as ${own}`);
  }
  const permissions = rights.get("permissions");
  if (permissions) refusePermissions(permissions, findings);
  const [mode, permissionMode] = [rights.get("mode"), rights.get("permissionMode")];
  const modes = [
    mode ? readMode(mode, findings) : "full",
    permissionMode ? readPermissionMode(permissionMode, findings) : "full",
  ];
  const [tools, blocked, toolsets] = [rights.get("tools"), rights.get("blocked_tools"), rights.get("toolsets")];
  return {
    ...readTools({ tools, blocked, toolsets, servers }, findings),
    mode: modes.includes("none") ? "none" : modes.includes("read-only") ? "read-only" : "full",
  };
}

function refuseTwin(field: Field, twin: Field, findings: Findings): void {
  findings.add("no-tools", {
    code: "duplicate",
    message: `${field.path} and ${twin.path} are the same field: the agent gets no tools`,
    place: field.place(),
    fix: "keep one of them",
  });
}

function refusePermissions(field: Field, findings: Findings): void {
  findings.became(field.path, "unsafe", "not carried over; it may forbid something");
  findings.add("no-tools", {
    code: "not_carried_over",
    message: `${field.path} is another program's and may forbid something: the agent gets no tools`,
    place: field.place(),
    fix: "write what it may use as tools and blocked_tools, and take it out",
  });
}
