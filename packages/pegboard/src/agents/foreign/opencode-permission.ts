import { type Field, isMapping } from "../field.ts";
import type { Draft, Move } from "./draft.ts";
import { allowNames, toDenied } from "./move-tools.ts";

/** What a program says about the calls of a tool, for whichever input. */
interface Permission {
  readonly tool: string;
  readonly denied: boolean;
}

/** What is asked about here too, unless the operator says otherwise. */
const ASKED: readonly string[] = ["edit", "write", "bash", "webfetch", "websearch", "task"];
/** These are about places and habits, not about tools. */
const NO_TOOLS: readonly string[] = ["external_directory", "doom_loop"];

/**
 * `permission: { edit: deny, bash: { "git push": ask } }`, or one word for everything. What is denied for some inputs is
 * denied for all, and so is what would be asked about there and not here. What is allowed is the policy's to allow.
 */
export const movePermission: Move = (field, draft) => {
  const said = isMapping(field.value) ? Object.entries(field.value) : [["*", field.value] as const];
  finish(
    field,
    said.map(([tool, value]) => toPermission(tool, value)),
    draft,
  );
};

/** `permissions: [{ action, resource, effect }]`: a later one counts, but for a denial, which stays. */
export const moveRules: Move = (field, draft) => {
  const { value } = field;
  if (!Array.isArray(value)) return movePermission(field, draft);
  const permissions = value.map((rule: unknown) => {
    const { action, effect } = isMapping(rule) ? rule : {};
    return toPermission(typeof action === "string" ? action : "*", effect);
  });
  return finish(field, permissions, draft);
};

function finish(field: Field, permissions: readonly Permission[], draft: Draft): void {
  const all = permissions.findLastIndex(({ tool, denied }) => tool === "*" && denied);
  const denied = permissions.filter((one) => one.denied && one.tool !== "*").map(({ tool }) => tool);
  const tools = denied.flatMap((name) => changes(name).flatMap((one) => toDenied(one, draft)));
  if (all >= 0) {
    const allowed = permissions.slice(all + 1).filter((one) => !one.denied && one.tool !== "*");
    allowNames(
      allowed.flatMap(({ tool }) => changes(tool)),
      field,
      draft,
    );
  }
  if (tools.length > 0) draft.deny(tools, field);
  const note = [...(all < 0 ? [] : ["all tools but those that it allows"]), ...denied].join(", ");
  draft.became(field.path, "approximated", note === "" ? "the policy decides" : `denied: ${note}`);
}

function toPermission(tool: string, value: unknown): Permission {
  // What is none of these words may be a denial.
  const effects = (isMapping(value) ? Object.values(value) : [value]).map((one) =>
    one === "allow" || one === "ask" ? one : "deny",
  );
  const isAsked = effects.includes("ask") && !ASKED.includes(tool) && !NO_TOOLS.includes(tool);
  return { tool, denied: effects.includes("deny") || isAsked };
}

/** `edit` is its word for everything that changes files. */
function changes(name: string): readonly string[] {
  return name === "edit" ? ["edit", "write"] : [name];
}
