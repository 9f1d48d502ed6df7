import type { Agent } from "@pegboard/contract";
import type { Field, Findings } from "./field.ts";
import { flag } from "./field-readers.ts";

/** The fields that take an agent's right to work with others away, besides `agents`. */
export const DELEGATION_FIELDS = ["can_see_agents", "can_delegate_to_agents"];

/** The tools that ask other agents. */
const ASKING = ["agent", "spawn_agent", "delegate"];

/**
 * What the fields leave of an agent's rights: one that may not delegate may ask nobody, and one that may not see others does
 * not even have the tools. A value that is wrong means that there is no agent.
 */
export function readDelegation(
  { tools, agents }: Pick<Agent, "tools" | "agents">,
  fields: ReadonlyMap<string, Field>,
  findings: Findings,
): Pick<Agent, "tools" | "agents"> {
  const [seeing, delegating] = DELEGATION_FIELDS.map((key) => {
    const field = fields.get(key);
    if (field) findings.became(key, "mapped");
    return field ? flag(field, findings, "no-agent") : undefined;
  });
  const isBlind = seeing === false;
  const left = isBlind && tools?.length !== 0 ? [...(tools ?? []), ...ASKING.map((name) => `!${name}`)] : tools;
  const asked = isBlind || delegating === false ? [] : agents;
  return { ...(left && { tools: left }), ...(asked && { agents: asked }) };
}
