import { describe, expect, test } from "vitest";
import { createRuntime, scriptedModel, type Turn } from "../../src/index.ts";

const asking = (agent: string): Turn => ({ calls: [{ tool: "agent", input: { agent, prompt: "Do it" } }] });

describe("an agent of a plugin, which has two names", () => {
  const helper = (name: string) => ({ name, description: "d", instructions: `You are the ${name}.` });

  test.each([
    ["asked", ["asked"], true],
    ["asked", ["kit/asked"], true],
    ["kit/asked", ["kit/*"], true],
    ["kit/asked", ["asked"], false],
    ["asked", ["!kit/asked"], false],
    ["kit/asked", ["!asked"], false],
    ["kit/asked", ["!other"], true],
  ])("asked for as %s by one that may ask %j", async (name, agents, allowed) => {
    const model = scriptedModel({
      scripts: [
        { when: { system: "You are the top." }, turns: [asking(name), "Done."] },
        { when: { system: "You are the asked." }, turns: ["I was asked."] },
      ],
    });
    const runtime = createRuntime({ model });
    runtime.agents.register({ ...helper("top"), agents });
    runtime.agents.register(helper("asked"), { layer: "plugin", plugin: "kit" });
    const session = runtime.open({ approve: "all" });
    await session.run("top", "Go").result;
    const said = model.requests.some(({ system }) => system.includes("You are the asked."));
    expect(said).toBe(allowed);
    await runtime.close();
  });

  test("is in its own chain no more often than an agent with one name", async () => {
    const model = scriptedModel({
      scripts: [{ when: { system: "You are the twin." }, turns: [asking("twin"), asking("kit/twin"), "Done."] }],
    });
    const runtime = createRuntime({ model, limits: { sameAgentInChain: 2, depth: 9 } });
    runtime.agents.register(helper("twin"), { layer: "plugin", plugin: "kit" });
    const session = runtime.open({ approve: "all" });
    await session.run("kit/twin", "Go").result;
    await session.close();
    const depths = (await Array.fromAsync(session.events())).flatMap(({ type, chain }) =>
      type === "run-start" ? chain!.length : [],
    );
    expect(Math.max(...depths)).toBe(2);
    await runtime.close();
  });

  test("is not let in by a rule for another agent of its bare name, and is kept out by one", async () => {
    const tool = {
      name: "t",
      description: "d",
      input: { type: "object" },
      capabilities: ["write"] as const,
      execute: () => "ran",
    };
    const decide = async (agent: string, approval: "preApproved" | "blocked", plugin?: string) => {
      const runtime = createRuntime({ tools: [tool], policy: { rules: [{ tool: "t", agent, approval }] } });
      const as = { name: "db", ...(plugin !== undefined && { plugin }) };
      const { decision } = await runtime.open().explain("t", {}, { agent: as });
      await runtime.close();
      return decision;
    };
    expect(await decide("db", "preApproved")).toBe("preApproved");
    expect(await decide("db", "preApproved", "kit")).toBe("ask");
    expect(await decide("kit/db", "preApproved", "kit")).toBe("preApproved");
    expect(await decide("db", "blocked", "kit")).toBe("blocked");
    expect(await decide("kit/db", "blocked", "kit")).toBe("blocked");
  });
});
