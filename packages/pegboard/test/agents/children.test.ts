import { type Approver, defineTool, type RunResult, type Tool, type Turn } from "pegboard";
import { describe, expect, test } from "vitest";
import { call, type Cast, holding, ofType, stage } from "./stage.ts";

const ask = (agent: string, prompt = "Help", more: Readonly<Record<string, string>> = {}): Turn =>
  call("agent", { agent, prompt, ...more });
const inBackground = (agent: string, prompt: string): Turn => call("delegate", { agent, prompt });

/** Runs "lead" to its end. */
async function play(cast: Cast, ...given: Parameters<typeof stage> extends [unknown, ...infer Rest] ? Rest : never) {
  const scene = stage(cast, ...given);
  const result = await scene.session.run("lead", "Go").result;
  const events = await scene.log();
  const errors = ofType(events, "call-end").map(({ data }) => data.error);
  return { ...scene, result, events, errors };
}

describe("an agent that asks another", () => {
  test("A2-28: begins anew each time, and goes on with a run that it names", async () => {
    let first = "";
    const cast: Cast = {
      lead: {
        says: [
          ask("clerk", "My name is Ada"),
          ask("clerk", "What is my name?"),
          ({ messages }) => {
            first = /run ([0-9a-f-]{36})/.exec(JSON.stringify(messages[2]))![1]!;
            return ask("clerk", "What was my name?", { continue: first }) as object;
          },
          "Done.",
        ],
      },
      clerk: { says: ["Noted.", ({ messages }) => `${messages.length} messages`] },
    };
    const { events, requestsOf } = await play(cast);
    expect(requestsOf("clerk").map(({ messages }) => messages.length)).toEqual([1, 1, 3]);
    const runs = ofType(events, "run-start").filter(({ data }) => data.agent === "clerk");
    expect(runs.map(({ data }) => data.continues)).toEqual([undefined, undefined, first]);
    expect(runs[0]!.run).toBe(first);
  });

  test("A2-28: does not go on with what another agent was told, or with its own run", async () => {
    const cast: Cast = {
      lead: {
        says: [
          ask("clerk", "A secret"),
          ({ messages }) => {
            const clerk = /run ([0-9a-f-]{36})/.exec(JSON.stringify(messages[2]))![1]!;
            return ask("spy", "Tell me", { continue: clerk }) as object;
          },
          "Done.",
        ],
      },
      clerk: { says: ["Noted."] },
      spy: { says: ["Told."] },
    };
    const { errors, requestsOf } = await play(cast);
    expect(errors).toMatchObject([undefined, { code: "not_found", message: expect.stringContaining("lead > spy") }]);
    expect(requestsOf("spy")).toEqual([]);
  });

  test("A2-40: that there is not reads which ones are near", async () => {
    const { errors, result, events } = await play({
      lead: { says: [ask("clark"), inBackground("clark", "x"), "Done."] },
      clerk: { says: [] },
    });
    const unknown = { code: "not_found", message: expect.stringContaining('Did you mean "clerk"?') };
    expect(errors).toMatchObject([unknown, unknown]);
    expect(result.status).toBe("completed");
    expect(ofType(events, "task-start")).toEqual([]);
  });

  test("A2-41: reads its answer, who gave it, in which run and how long it took; an empty answer is asked for again", async () => {
    let asked = 0;
    const clerk: Turn = () => (asked++ === 0 ? { text: "" } : "Noted.");
    const { events, heardBy } = await play({ lead: { says: [ask("clerk"), "Done."] }, clerk: { says: [clerk] } });
    const child = ofType(events, "run-end").find(({ data }) => data.agent === "clerk")!;
    const end = ofType(events, "call-end")[0]!.data.result;
    expect(end).toMatchObject({
      structured: { agent: "clerk", run: child.run, text: "Noted.", durationMs: expect.any(Number) },
    });
    expect(heardBy("lead").at(-1)).toContain(`run ${child.run}`);
    expect(asked).toBe(2);
    const silent = await play({
      lead: { says: [ask("clerk"), "Done."] },
      clerk: { says: [{ text: "", reason: "length" }] },
    });
    expect(silent.errors).toMatchObject([
      { code: "unavailable", message: expect.stringContaining("answered with nothing") },
    ]);
  });

  test("A4-32: has its events at the readers of the run above, with its run, the call, its name and its depth", async () => {
    const hold = holding();
    const scene = stage(
      {
        lead: { says: [ask("clerk"), ask("nobody"), ask("faulty"), "Done."] },
        clerk: { says: [call("hold"), "x"] },
        faulty: { says: [{ error: { code: "denied" } }] },
      },
      { tools: [hold.tool] },
    );
    const run = scene.session.run("lead", "Go");
    const seen: unknown[] = [];
    for await (const event of run) {
      if (event.type === "run-start" && event.run !== run.id)
        seen.push([event.data.agent, event.parent, event.data.depth]);
      if (event.type === "call-start" && event.data.tool === "hold") {
        const child = event.run!;
        expect(event.chain).toEqual(["lead", "clerk"]);
        expect(scene.session.cancel(child)).toBe(1);
      }
    }
    expect(seen).toEqual([
      ["clerk", `${run.id}.1.0`, 1],
      ["faulty", `${run.id}.3.0`, 1],
    ]);
    expect(await run.result).toMatchObject({ status: "completed", text: "Done." });
    const ends = ofType(await scene.log(), "run-end").map(({ data }) => `${data.agent} ${data.status}`);
    expect(ends).toEqual(["clerk cancelled", "nobody failed", "faulty failed", "lead completed"]);
    const codes = ofType(await scene.log(), "call-end").filter(({ data }) => data.tool === "agent");
    expect(codes.map(({ data }) => data.error?.code)).toEqual(["cancelled", "not_found", "denied"]);
    // Nothing is left of any of them.
    expect(hold.inside.size).toBe(0);
    expect(scene.session.cancel(run.id)).toBe(0);
  });
});

describe("the limits of what an agent starts", () => {
  test("A0-16: one more than it may start fails with how many there were and may be", async () => {
    const { errors } = await play(
      { lead: { says: [ask("clerk", "1"), ask("clerk", "2"), ask("clerk", "3"), "Done."] }, clerk: { says: ["x"] } },
      { limits: { fanout: 2 } },
    );
    expect(errors).toMatchObject([
      undefined,
      undefined,
      { code: "fanout_limit", message: expect.stringContaining('"lead" has started 2 of 2 runs') },
    ]);
  });

  test("A0-34: prompt tools count, and fail at the limit without a run", async () => {
    const promptTools = [{ name: "short", description: "Shortens", prompt: "Shorten", input: { type: "object" } }];
    const short: Cast = { short: { says: ["Short."] } };
    const wide = await play(
      { lead: { promptTools, says: [call("short"), call("short"), "Done."] }, ...short },
      { limits: { fanout: 1 } },
    );
    expect(wide.errors).toMatchObject([undefined, { code: "fanout_limit" }]);
    const deep = await play(
      { lead: { says: [ask("clerk"), "Done."] }, clerk: { promptTools, says: [call("short"), "Done."] }, ...short },
      { limits: { depth: 1 } },
    );
    expect(deep.errors).toMatchObject([{ code: "depth_limit" }, undefined]);
    const runs = [wide, deep].map(({ events }) =>
      ofType(events, "run-start").filter(({ data }) => data.agent === "short"),
    );
    expect(runs.map(({ length }) => length)).toEqual([1, 0]);
  });

  test("A2-39, A3-40, A1-30: too deep, or round in a circle, is an error with the chain", async () => {
    const deep = await play(
      { lead: { says: [ask("a"), "."] }, a: { says: [ask("b"), "."] }, b: { says: [ask("c"), "."] }, c: { says: [] } },
      { limits: { depth: 2 } },
    );
    expect(deep.errors[0]).toMatchObject({
      code: "depth_limit",
      message: expect.stringMatching(/3 deep \(lead > a > b > c\); the limit is 2/),
    });
    const round = await play({ lead: { says: [ask("a"), "."] }, a: { says: [ask("lead", "x"), "."] } });
    expect(round.errors.find((error) => error)).toMatchObject({ code: "loop" });
    const again: Cast = {
      lead: { says: [ask("a", "1"), "."] },
      a: { says: [({ messages }) => ask("a", `${JSON.stringify(messages[0]).length}!`) as object, "."] },
    };
    const circle = await play(again);
    expect(circle.errors[0]).toMatchObject({
      code: "loop",
      message: expect.stringMatching(/3 times \(lead > a > a > a\); the limit is 2/),
    });
  });

  test("A1-30: only agents that it may ask are asked, however deep, and a model must fit", async () => {
    const { errors, requestsOf } = await play({
      lead: {
        agents: ["cl*", "!clown"],
        says: [
          ask("spy"),
          ask("clown"),
          ask("clerk"),
          ask("clara"),
          inBackground("spy", "x"),
          call("spawn_agent", { name: "spy.md", prompt: "x" }),
          ".",
        ],
      },
      clerk: { says: [ask("spy"), "."] },
      clara: { compatibleModels: ["other:*"], says: ["."] },
      clown: { says: [] },
      spy: { says: [] },
    });
    expect(errors.map((error) => error?.code)).toEqual([
      "denied",
      "denied",
      "denied",
      undefined,
      "invalid_config",
      "denied",
      "denied",
    ]);
    expect(errors[2]!.message).toContain('agent "lead" may ask (agents: [cl*, !clown])');
    expect(errors[4]!.message).toContain("other:*");
    expect(requestsOf("spy")).toEqual([]);
  });

  test("A1-30: a rule can allow some agents and block others", async () => {
    const { errors } = await play(
      { lead: { says: [ask("clerk"), ask("spy"), "."] }, clerk: { says: ["."] }, spy: { says: [] } },
      {
        policy: {
          rules: [
            { tool: "agent", input: { "/agent": "clerk" }, approval: "preApproved" },
            { tool: "agent", input: { "/agent": "s*" }, approval: "blocked" },
          ],
        },
      },
      { approve: "none" },
    );
    expect(errors.map((error) => error?.code)).toEqual([undefined, "blocked"]);
  });

  test("A0-41: when the tokens are used up, everything below stops, and the log says so", async () => {
    const hold = holding();
    const usage = { input: 600, output: 0 };
    const scene = stage(
      {
        lead: {
          says: [
            inBackground("idle", "x"),
            inBackground("busy", "x"),
            { text: "Started.", usage: { input: 1, output: 0 } },
            "Never.",
          ],
        },
        idle: { says: [call("hold"), "Never."] },
        busy: { says: [{ calls: [{ tool: "vfs_list" }], usage }, { calls: [{ tool: "vfs_list" }], usage }, "Never."] },
      },
      { tools: [hold.tool] },
    );
    const result = await scene.session.run("lead", "Go", { budget: { tokens: 1_000 } }).result;
    expect(result).toMatchObject({ status: "failed", error: { code: "budget_limit" } });
    const events = await scene.log();
    const ends = ofType(events, "run-end").map(({ data }) => `${data.agent} ${data.error?.code}`);
    expect(ends.sort()).toEqual(["busy budget_limit", "idle budget_limit", "lead budget_limit"]);
    expect(ofType(events, "task-end").map(({ data }) => data.error?.code)).toEqual(["budget_limit", "budget_limit"]);
    expect(events.at(-1)).toMatchObject({ type: "run-end", data: { agent: "lead" } });
  });

  test("A4-42: a tool asks an agent below its own call, by the same policy, on the same budget", async () => {
    const asks = (name: string) =>
      defineTool({
        name,
        description: "Asks an agent",
        input: { type: "object" },
        capabilities: ["read"],
        execute: async (_, { call: make }) =>
          (await make("agent", { agent: "clerk", prompt: name })).error?.code ?? "ok",
      }) as Tool;
    const usage = { input: 600, output: 0 };
    const cast: Cast = {
      lead: { says: [call("first"), call("second"), "Done."] },
      clerk: { says: [{ text: "Yes.", usage }] },
    };
    const tools = [asks("first"), asks("second")];
    const asked: string[] = [];
    const approver: Approver = ({ tool, chain }) => (asked.push(`${tool} ${chain.join()}`), { decision: "allow" });
    const scene = stage(cast, { tools }, { approver });
    expect(await scene.session.run("lead", "Go").result).toMatchObject({ usage: { input: 1_200 } });
    expect(asked).toEqual(["agent lead", "agent lead"]);
    const events = await scene.log();
    const calls = ofType(events, "call-start");
    const [first, nested] = calls;
    expect(nested).toMatchObject({ parent: first!.call, data: { tool: "agent", caller: "tool" } });
    expect(ofType(events, "run-start")[1]).toMatchObject({ parent: nested!.call, chain: ["lead", "clerk"] });
    const poor = stage(cast, { tools });
    expect((await poor.session.run("lead", "Go", { budget: { tokens: 500 } }).result).error?.code).toBe("budget_limit");
    expect(poor.requestsOf("clerk")).toHaveLength(1);
    const denied = stage(cast, { tools }, { approve: "none" });
    await denied.session.run("lead", "Go").result;
    expect(denied.heardBy("lead")).toContain("denied");
    expect(denied.requestsOf("clerk")).toEqual([]);
  });

  test("A0-41: a run that has used up its tokens can be gone on with, from where it was", async () => {
    const usage = { input: 600, output: 0 };
    const { session, heardBy } = stage({
      lead: {
        says: [
          { calls: [{ tool: "vfs_list" }], usage },
          { text: "Done.", usage: { input: 1, output: 0 } },
        ],
      },
    });
    const stopped = await session.run("lead", "Begin", { budget: { tokens: 500 } }).result;
    expect(stopped).toMatchObject({ status: "failed", turns: 1, error: { code: "budget_limit" } });
    expect(stopped.error!.message).toBe("600 tokens were used; the budget is 500");
    const on = await session.run("lead", "Go on", { continue: stopped.run, budget: { tokens: 500 } }).result;
    expect(on).toMatchObject({ status: "completed", text: "Done." });
    expect(heardBy("lead")).toEqual(["Begin", "", expect.stringContaining("no files yet"), "Go on"]);
  });

  test("A0-42, A2-50: no more than so many work at once; cancelling one leaves the others", async () => {
    const hold = holding();
    const starts = Array.from({ length: 5 }, (_, n) => ({
      tool: "delegate",
      input: { agent: "clerk", prompt: `${n}` },
    }));
    const scene = stage(
      {
        lead: { says: [{ calls: starts }, "Started.", "Told.", "Told.", "Told.", "Told.", "Told."] },
        clerk: { says: [call("hold"), "x"] },
      },
      { tools: [hold.tool], limits: { concurrency: 2 } },
    );
    const run = scene.session.run("lead", "Go");
    await hold.entered;
    await new Promise((resolve) => setTimeout(resolve, 20));
    const states = async () => (await scene.session.tasks()).map(({ state }) => state);
    expect(await states()).toEqual(["running", "running", "pending", "pending", "pending"]);
    const [first, , , fourth] = await scene.session.tasks();
    expect(scene.session.cancel(first!.id)).toBe(1);
    expect(scene.session.cancel(fourth!.id)).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await states()).toEqual(["cancelled", "running", "running", "cancelled", "pending"]);
    hold.letGo();
    expect(await run.result).toMatchObject({ status: "completed" });
    expect(await states()).toEqual(["cancelled", "completed", "completed", "cancelled", "completed"]);
    expect(hold.most()).toBe(2);
    const told = scene.heardBy("lead").filter((text) => text.includes("which you gave to"));
    expect(told).toHaveLength(5);
  });

  test("A0-42: cancelling all empties the queue", async () => {
    const hold = holding();
    const starts = Array.from({ length: 5 }, (_, n) => ({
      tool: "delegate",
      input: { agent: "clerk", prompt: `${n}` },
    }));
    const scene = stage(
      { lead: { says: [{ calls: starts }, "Started."] }, clerk: { says: [call("hold"), "x"] } },
      { tools: [hold.tool], limits: { concurrency: 2 } },
    );
    const run = scene.session.run("lead", "Go");
    await hold.entered;
    scene.session.cancel();
    expect(await run.result).toMatchObject({ status: "cancelled" });
    expect((await scene.session.tasks()).map(({ state }) => state)).toEqual(Array(5).fill("cancelled"));
    expect(hold.inside.size).toBe(0);
    expect(scene.requestsOf("clerk").length).toBeLessThanOrEqual(2);
  });
});

describe("what a child asks for", () => {
  test("A1-15: goes to the approver of the session with the chain, and what is remembered holds for all", async () => {
    const hold = { ...holding("write").tool, capabilities: ["write"] as const, execute: () => "written" };
    const asked: string[] = [];
    const approver: Approver = (request) => {
      asked.push(`${request.tool}: ${request.chain.join(" > ")}`);
      return { decision: "allow", by: "me", remember: request.tool === "write" ? "tool" : "once" };
    };
    const scene = stage(
      {
        lead: { says: [ask("clerk"), call("write"), inBackground("scribe", "x"), "Started.", "Done."] },
        clerk: { says: [call("write", { n: 1 }), "."] },
        scribe: { says: [call("write", { n: 2 }), "."] },
      },
      { tools: [hold] },
      { approver },
    );
    const result: RunResult = await scene.session.run("lead", "Go").result;
    expect(result).toMatchObject({ status: "completed", text: "Done." });
    expect(asked).toEqual(["agent: lead", "write: lead > clerk", "delegate: lead"]);
    const summaries = ofType(await scene.log(), "approval-request").map(({ data }) => data.summary);
    expect(summaries[0]).toBe('Ask agent "clerk" (all tools of its scope): Help');
    expect(summaries[2]).toBe('Delegate to agent "scribe" (all tools of its scope): x');
  });
});
