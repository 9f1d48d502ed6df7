import { afterEach, describe, expect, it, vi } from "vitest";
import { createRuntime } from "../../../src/index.ts";
import type { CallWork } from "../../../src/transports/mcp/call-work.ts";
import { SessionCalls } from "../../../src/transports/mcp/session-calls.ts";
import { echo } from "./stage.ts";

afterEach(() => vi.useRealTimers());

function openCalls() {
  const session = createRuntime({ builtins: false, tools: [echo] }).open();
  const input = { text: "hello" };
  const work: CallWork<unknown> = { tool: "echo", input, run: ({ id }) => session.call("echo", input, { id }) };
  return { calls: new SessionCalls(session, { keepMs: 1_000 }), work };
}

describe("the calls of a session", () => {
  it("leave nothing behind once their client was told the result", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const { calls, work } = openCalls();
    const call = calls.begin(work);
    expect(await call.attend({ signal: new AbortController().signal, methods: [] })).toMatchObject({ state: "over" });
    calls.forget(call);
    await call.over;
    expect(vi.getTimerCount()).toBe(0);
    expect(calls.find(call.id)).toBeUndefined();
  });

  it("end at once when their client cancels before they begin", async () => {
    const { calls, work } = openCalls();
    const cancel = vi.fn();
    const call = calls.begin({ ...work, cancel });
    await call.attend({ signal: AbortSignal.abort(), methods: [] });
    expect(cancel).toHaveBeenCalledWith(call.id);
    expect(call.signal.aborted).toBe(true);
  });

  it("are kept for a while when nobody was there to be told", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const { calls, work } = openCalls();
    const call = calls.begin({
      ...work,
      run(running) {
        running.detach();
        return work.run(running);
      },
    });
    const attendant = { signal: new AbortController().signal, methods: [], tasks: true };
    expect(await call.attend(attendant)).toEqual({ state: "detached" });
    await call.over;
    expect(calls.find(call.id)).toBe(call);
    vi.advanceTimersByTime(1_000);
    expect(calls.find(call.id)).toBeUndefined();
  });
});
