import type { Field, Findings } from "./field.ts";
import { wrong } from "./field-readers.ts";

/** What an agent may do at most: whatever its tools do, only what reads, or nothing. */
export type Mode = (typeof MODES)[number];
const MODES = ["full", "read-only", "none"] as const;

/** Reads `mode`. One that is not known means no tools. */
export function readMode(field: Field, findings: Findings): Mode {
  const mode = MODES.find((one) => one === field.value);
  if (mode) return mode;
  findings.became(field.path, "unsafe", "not known");
  wrong(field, `one of ${MODES.join(", ")}; the agent gets no tools`, findings, "no-tools");
  return "none";
}

/** Reads Claude Code's `permissionMode`. Only its one mode that forbids something is carried over. */
export function readPermissionMode(field: Field, findings: Findings): Mode {
  const isPlan = field.value === "plan";
  findings.became(
    field.path,
    isPlan ? "approximated" : "ignored",
    isPlan ? "mode: read-only" : "what needs approval is decided by the policy",
  );
  return isPlan ? "read-only" : "full";
}
