import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Agent } from "@pegboard/contract";
import { createRuntime, defineTool, type Session, scriptedModel } from "pegboard";
import { expect, test } from "vitest";
import { SessionLog } from "../../src/core/log.ts";

const EXPERT: Agent = { name: "expert", description: "Knows", instructions: "You are the expert." };
const HELPER: Agent = {
  name: "helper",
  description: "Helps",
  instructions: "You help.",
  promptTools: [{ name: "short", description: "Shortens", prompt: "Shorten {{n}}", input: { type: "object" } }],
};

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

/** Runs that succeed, fail, are cancelled or are left by their readers, one after another in one session. */
async function runMany(session: Session, count: number, signal: AbortSignal): Promise<WeakRef<object>[]> {
  const met: WeakRef<object>[] = [];
  const failing = scriptedModel([{ error: { code: "invalid_config", message: "no" } }]);
  for (let n = 0; n < count; n++) {
    const run = session.run("helper", `Go ${n}`, { signal, ...(n % 5 === 1 && { model: failing }) });
    met.push(new WeakRef(run));
    if (n % 5 === 2) run.cancel();
    if (n % 5 === 3) for await (const { type } of run) if (type === "turn-start") break;
    if (n % 5 === 4) for await (const { type } of run) if (type === "call-start") run.cancel();
    met.push(new WeakRef(await run.result));
  }
  return met;
}

test("nothing is left of a thousand runs but their log", async () => {
  const model = scriptedModel({
    scripts: [
      { when: { system: "expert" }, turns: ["Because."] },
      { when: { system: 'the tool "short"' }, turns: ["Short."] },
      {
        turns: [
          {
            calls: [
              { tool: "look" },
              { tool: "short", input: { n: 1 } },
              { tool: "agent", input: { agent: "expert", prompt: "?" } },
            ],
          },
          "Done.",
        ],
      },
    ],
  });
  const look = defineTool({
    name: "look",
    description: "Looks",
    input: { type: "object" },
    capabilities: ["read"],
    execute: () => "seen",
  });
  const runtime = createRuntime({ model, agents: [HELPER, EXPERT], tools: [look] });
  const session = runtime.open({ approve: "all" });
  const caller = new AbortController();
  let listening = 0;
  const { listen } = SessionLog.prototype;
  SessionLog.prototype.listen = function (listener) {
    const inner = listen.call(this, listener);
    listening++;
    return { [Symbol.dispose]: () => void (inner[Symbol.dispose](), listening--) };
  };
  try {
    await runMany(session, 5, caller.signal);
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    const met = await runMany(session, 1_000, caller.signal);
    expect(listening).toBe(0);
    expect(getEventListeners(caller.signal, "abort")).toEqual([]);
    expect(timers()).toBeLessThanOrEqual(before);
    (model.requests as unknown[]).length = 0;
    await new Promise((resolve) => setTimeout(resolve, 10));
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(met.filter((one) => one.deref() !== undefined).length).toBeLessThanOrEqual(10);
    expect(session.cancel()).toBe(0);
  } finally {
    SessionLog.prototype.listen = listen;
    await runtime.close();
  }
});
