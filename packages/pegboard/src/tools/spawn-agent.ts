import { defineTool, fail, type Tool, type ToolContext } from "@pegboard/contract";
import type { TaskRequest } from "../core/task-request.ts";
import { MODE, type TaskToolDeps, toTaskReply } from "./delegate.ts";

/** What the tool is lent. */
export interface SpawnToolDeps extends TaskToolDeps {
  /** Rejects when a limit would refuse this, whether or not there is such an agent yet. */
  check(request: TaskRequest, context: ToolContext): Promise<void>;
  exists(agent: string): Promise<boolean>;
}

/** The tool `spawn_agent`: makes an agent, or takes the one that has this name, and lets it work. */
export function spawnAgentTool(deps: SpawnToolDeps): Tool {
  const { check, exists, start, describe } = deps;
  return defineTool({
    name: "spawn_agent",
    description:
      "Make a new agent and give it a task, which it works on in the background. An agent that has this name already is taken as it is",
    input: {
      type: "object",
      properties: {
        name: { type: "string", description: "The agent's file, such as researcher.md" },
        content: { type: "string", description: "The text of the file: front matter and instructions" },
        prompt: { type: "string", description: "The task: all that the agent needs to know" },
        mode: MODE,
      },
      required: ["name", "prompt"],
      additionalProperties: false,
    },
    capabilities: ["agent"],
    // The limits of runs hold instead.
    timeoutMs: null,
    async summary({ name, content, prompt }) {
      const agent = agentOf(name) ?? name;
      const known = await exists(agent);
      const what = known
        ? await describe(agent)
        : content === undefined
          ? "unknown"
          : `new, of ${content.length} characters`;
      return `Start agent "${agent}" (${what}): ${prompt.slice(0, 200)}`;
    },
    async execute({ name, content, prompt, mode = "background" }, context) {
      const agent = agentOf(name);
      if (agent === undefined) return fail("invalid_input", nameProblem(name));
      const request = { agent, prompt, mode };
      await check(request, context);
      const made = content !== undefined && !(await exists(agent));
      if (made) {
        // As the agent's own call: under the rules, the scope and the log of its files.
        const written = await context.call("vfs_write", { path: `agents/${name}`, content });
        if (written.error) return fail(written.error.code, written.error.message);
        if (!(await exists(agent))) return fail("invalid_input", notMade(name, agent, textOf(written)));
      }
      return toTaskReply(await start(request, context), mode);
    },
  }) as Tool;
}

function agentOf(name: string): string | undefined {
  return /^[A-Za-z][A-Za-z0-9_-]*\.md$/.test(name) ? name.slice(0, -".md".length) : undefined;
}

function nameProblem(name: string): string {
  const base = name
    .replace(/^.*\//, "")
    .replace(/\.[^.]*$/, "")
    .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
    .replace(/^[^A-Za-z]+/, "");
  return `The name of an agent's file ends in .md and has no folder; "${name}" is none. Use "${base || "agent"}.md"`;
}

function notMade(name: string, agent: string, said: string): string {
  return `agents/${name} is written, but there is no agent "${agent}" in it: mend the file and start it again. ${said}`;
}

function textOf({ content }: Awaited<ReturnType<ToolContext["call"]>>): string {
  return content.map((part) => ("text" in part ? part.text : "")).join("\n");
}
