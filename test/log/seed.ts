import { onTestFailed } from "vitest";

/** The seed of a test: a new one each time, or `PEGBOARD_SEED`. A test that fails tells which it was. */
export function testSeed(): number {
  const seed = Number(process.env["PEGBOARD_SEED"] ?? Date.now() % 1_000_000);
  onTestFailed(() => console.error(`To see this again: PEGBOARD_SEED=${seed}`));
  return seed;
}
