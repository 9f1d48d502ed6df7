import { setTimeout } from "node:timers/promises";
import { defineTool } from "@pegboard/contract";
import { describe, expect, test } from "vitest";
import { PegboardError } from "../../src/core/error.ts";
import { SessionLog } from "../../src/core/log.ts";
import { createRuntime } from "../../src/runtime.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import type { Store } from "../../src/stores/store.ts";

const START = { principal: "p", client: "c", cwd: "/", metadata: {} };

/** A store whose appends are refused while `full` says so. */
function fillable(): Store & { full: boolean } {
  const store = memoryStore();
  return {
    ...store,
    full: false,
    async append(events) {
      if (this.full) throw new PegboardError("unavailable", "The disk is full", { retryable: true });
      return store.append(events);
    },
  };
}

describe("the log of a session", () => {
  test("begins with the session's start, also when its first events were lost", async () => {
    const store = fillable();
    const log = new SessionLog("a", store, { fresh: true, start: START });
    store.full = true;
    await expect(log.append("session-end", { calls: 0 })).rejects.toMatchObject({ code: "unavailable" });
    store.full = false;
    await log.append("session-end", { calls: 0 });
    expect((await store.read()).map(({ seq, type }) => `${seq} ${type}`)).toEqual(["1 session-start", "2 session-end"]);
  });

  test("keeps a tool from running whose call is not on record, though its intent could be", async () => {
    const store = fillable();
    let ran = 0;
    const runtime = createRuntime({
      store,
      approve: "all",
      tools: [
        defineTool({
          name: "effect",
          description: "Has an effect",
          input: { type: "object" },
          execute: () => String(++ran),
        }),
      ],
      hooks: [{ beforeCall: () => setTimeout(5).then(() => void (store.full = false)) }],
    });
    const session = runtime.open();
    store.full = true;
    // The space returns between the call's start and its intent.
    const result = await session.call("effect");
    expect(result.error?.code).toBe("unavailable");
    expect(ran).toBe(0);
    expect((await session.call("effect")).ok).toBe(true);
    await runtime.close();
  });
});
