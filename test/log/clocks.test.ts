import { createRuntime, defineTool } from "pegboard";
import { describe, expect, test } from "vitest";
import { emptyFolder, start } from "./child.ts";

const WAIT_MS = 1_000;

interface Printed {
  readonly measured: readonly { readonly code: string; readonly ms: number }[];
  readonly cpuMs: number;
  readonly seqs: readonly number[];
  readonly clockReads: number;
}

describe("time that is waited does not depend on the clock", { retry: 2 }, () => {
  test.for([
    "an hour forward",
    "an hour back",
    "a day forward",
    "a day back",
    "back to 1970",
    "frozen",
    "an hour forward at every look",
    "to and fro",
  ])("which goes %s", async (clock) => {
    const child = start("clock-worker.ts", [emptyFolder()], {
      preload: ["preload-clock.ts"],
      env: { CLOCK: clock },
    });
    const { measured, cpuMs, seqs, clockReads } = JSON.parse((await child.line()) ?? "{}") as Printed;
    expect(clockReads).toBeGreaterThan(0);
    expect(measured.map(({ code }) => code)).toEqual(["timeout", "expired", "ok", "ok", "ok", "ok"]);
    for (const { ms } of measured) {
      expect(ms).toBeGreaterThan(WAIT_MS * 0.9);
      expect(ms).toBeLessThan(WAIT_MS * 1.1);
    }
    // Nothing turns in circles meanwhile.
    expect(cpuMs).toBeLessThan(WAIT_MS / 2);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  });
});

test.for([0, -1])("a timeout of %s is refused", (timeoutMs) => {
  const tool = defineTool({
    name: "slow",
    description: "Slow",
    input: { type: "object" },
    timeoutMs,
    execute: () => "done",
  });
  expect(() => createRuntime({ tools: [tool] })).toThrow(/timeout/i);
});
