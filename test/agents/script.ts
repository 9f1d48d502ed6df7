import type { Script } from "./model-server.ts";

/** A call that the model asks for. */
export interface Step {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * A model that asks for these calls in turn, and then is done. It finds a tool by its own name, whatever the agent has put
 * before it; where the agent hides tools until they are searched for, it searches.
 */
export function followSteps(steps: readonly Step[]): Script {
  let done = 0;
  const searched = new Set<string>();
  return (tools) => {
    const step = steps[done];
    if (!step) return { text: "That is all" };
    const id = `call_${done}_${searched.size}`;
    const ending = new RegExp(String.raw`(^|[_\n-])${step.tool}$`);
    const listed = tools.find((name) => ending.test(name));
    const hidden = `mcp__pegboard__${step.tool}`;
    const search = tools.find((name) => /^tool_?search$/i.test(name));
    if (!listed && search && !searched.has(step.tool)) {
      searched.add(step.tool);
      return { id, tool: search, input: { query: `select:${hidden}` } };
    }
    const through = tools.find((name) => name === "tool_call");
    if (!listed && !through) return { text: "There is no such tool" };
    done++;
    if (listed) return { id, tool: listed, input: step.input };
    return { id, tool: through!, input: { name: hidden, arguments: step.input } };
  };
}
