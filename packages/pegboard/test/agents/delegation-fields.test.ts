import type { Agent } from "@pegboard/contract";
import { describe, expect, test } from "vitest";
import { parseAgentFile } from "../../src/agents/agent-file.ts";
import { createRuntime, scriptedModel, type Turn } from "../../src/index.ts";

const file = (name: string, rest = "") => `---\nname: ${name}\ndescription: d\n${rest}---\nYou are the ${name}.\n`;
const read = (name: string, rest = "") => parseAgentFile(file(name, rest)).agent!;
const asking = (agent: string): Turn => ({ calls: [{ tool: "agent", input: { agent, prompt: "Do it" } }] });

const TURNS: Readonly<Record<string, readonly Turn[]>> = {
  top: [asking("asked"), "Done."],
  chief: [asking("top"), "Done."],
  asked: ["I was asked."],
};

/** Runs the first agent; what the agent `top` saw, and what its call came to. */
async function play(agents: readonly Agent[], plugin?: string) {
  const model = scriptedModel({
    scripts: Object.entries(TURNS).map(([name, turns]) => ({ when: { system: `You are the ${name}.` }, turns })),
  });
  const runtime = createRuntime({ model });
  for (const agent of agents)
    runtime.agents.register(agent, plugin !== undefined && agent.name === "top" ? { layer: "plugin", plugin } : {});
  const { text } = await runtime.open({ approve: "all" }).run(agents[0]!.name, "Go").result;
  const requests = model.requests.filter(({ system }) => system.includes("You are the top."));
  await runtime.close();
  return {
    text,
    sees: requests[0]?.tools.map(({ name }) => name) ?? [],
    outcome: JSON.stringify(requests.at(-1)?.messages.at(-1)),
  };
}

describe("what an agent's file says about working with others", () => {
  test("A2-38: can_see_agents: false leaves it no tools that ask agents", async () => {
    const blind = read("top", "can_see_agents: false\n");
    expect(blind).toMatchObject({ tools: ["!agent", "!spawn_agent", "!delegate"], agents: [] });
    expect(read("a", "can_see_agents: false\ntools: []\n")).toMatchObject({ tools: [] });
    expect(read("a", "can_see_agents: true\n").tools).toBeUndefined();
    const { sees, outcome } = await play([blind, read("asked")]);
    expect(sees).toContain("read_result");
    for (const name of ["agent", "spawn_agent", "delegate"]) expect(sees).not.toContain(name);
    expect(outcome).not.toContain("I was asked.");
  });

  test("A2-38: can_delegate_to_agents: false refuses what it asks of others", async () => {
    const { sees, outcome } = await play([read("top", "can_delegate_to_agents: false\n"), read("asked")]);
    expect(sees).toContain("agent");
    expect(outcome).toContain("is not among those that agent");
    expect((await play([read("top"), read("asked")])).outcome).toContain("I was asked.");
  });

  test.each([
    ["[]", undefined, true],
    ["[main]", undefined, true],
    ["[top]", undefined, true],
    ["[other]", undefined, false],
    ["[top]", "kit", false],
    ["[kit/top]", "kit", true],
  ])("A2-38: visible_from_agents: %s, asked by top of plugin %s", async (list, plugin, allowed) => {
    const { outcome } = await play([read("top"), read("asked", `visible_from_agents: ${list}\n`)], plugin);
    expect(outcome.includes("I was asked.")).toBe(allowed);
    if (!allowed) expect(outcome).toContain("may be asked only by");
  });

  test("A2-38: visible_from_agents: [] is for main alone, not for an agent that main asked", async () => {
    const asked = read("asked", "visible_from_agents: []\n");
    const { outcome } = await play([read("chief"), read("top"), asked]);
    expect(outcome).toContain("may be asked only by main");
    expect((await play([asked])).text).toBe("I was asked.");
  });

  test("a value that is wrong means that there is no agent", () => {
    for (const rest of ["can_see_agents: maybe\n", "can_delegate_to_agents: []\n", "visible_from_agents: 5\n"])
      expect(parseAgentFile(file("a", rest)).agent).toBeUndefined();
  });
});
