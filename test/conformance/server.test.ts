import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Listening } from "./front.ts";
import { runSuite } from "./run-suite.ts";
import { NEW_ERA, OLD_ERA, PENDING, SKILLS, TASKS } from "./scenarios.ts";
import { serveFixtures } from "./serve-fixtures.ts";

describe("a server of ours before the official conformance suite", () => {
  let server: Listening;
  beforeAll(async () => void (server = await serveFixtures()));
  afterAll(() => server.close());

  it("does everything that the revision 2025-11-25 requires", async () => {
    const { passed, failed, output } = await runSuite("server", "--url", server.url, "--requirements", "2025-11-25");
    expect(failed, output).toEqual({});
    expect(passed).toEqual(OLD_ERA);
  });

  it("does everything that the revision 2026-07-28 requires, and the extension for tasks", async () => {
    const { passed, failed, output } = await runSuite("server", "--url", server.url, "--requirements", "2026-07-28");
    expect(failed, output).toEqual({});
    expect(passed).toEqual([...NEW_ERA, ...TASKS, ...PENDING].toSorted());
  });

  it.each(SKILLS)("does what the extension for skills requires: %s", async (scenario) => {
    const { passed, failed, output } = await runSuite("server", "--url", server.url, "--scenario", scenario);
    expect(failed, output).toEqual({});
    expect(passed).toEqual([scenario]);
  });
});
