import { expect, onTestFinished, test } from "vitest";
import { watchInterrupts } from "../../src/cli/interrupts.ts";

function watch() {
  const interrupts = watchInterrupts();
  onTestFinished(() => interrupts[Symbol.dispose]());
  return interrupts;
}

const never = () => new Promise<never>(() => {});

test("Ctrl-C ends a wait, and what comes first wins", async () => {
  const interrupts = watch();
  const waiting = interrupts.during(never);
  process.emit("SIGINT");
  expect(await waiting).toBe("interrupt");
  expect(await interrupts.during(async () => "typed")).toBe("typed");
});

test("one that comes between two waits ends the next one, once", async () => {
  const interrupts = watch();
  process.emit("SIGINT");
  expect(await interrupts.during(never)).toBe("interrupt");
  expect(await interrupts.during(async () => "typed")).toBe("typed");
});

test("one that somebody else takes too is left to them", async () => {
  const interrupts = watch();
  let taken = 0;
  process.once("SIGINT", () => taken++);
  process.emit("SIGINT");
  expect(taken).toBe(1);
  expect(await interrupts.during(async () => "typed")).toBe("typed");
});

test("nothing is taken any more when it is disposed", () => {
  const before = process.listenerCount("SIGINT");
  watchInterrupts()[Symbol.dispose]();
  expect(process.listenerCount("SIGINT")).toBe(before);
});
