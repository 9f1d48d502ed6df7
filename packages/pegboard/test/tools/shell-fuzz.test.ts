import { expect, test } from "vitest";
import { tryAttacks, tryHiding } from "./shell-attacks.ts";

test("whatever is allowed, a real bash would start exactly the commands that were looked at, and make no file", () => {
  const { allowed } = tryAttacks(250);
  // A check that never gets to see anything allowed proves nothing.
  expect(allowed).toBeGreaterThan(50);
});

test("whatever a real bash would run of what is blocked, it is found", () => {
  const { ran } = tryHiding(250);
  expect(ran).toBeGreaterThan(40);
});
