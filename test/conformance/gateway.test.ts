import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Listening } from "./front.ts";
import { runSuite } from "./run-suite.ts";
import { NEW_ERA, OLD_ERA, PENDING, TASKS } from "./scenarios.ts";
import { serveFixtures, serveGateway } from "./serve-fixtures.ts";

describe("a server of ours behind a server of ours, before the official conformance suite", () => {
  let upstream: Listening;
  let server: Listening;
  beforeAll(async () => {
    upstream = await serveFixtures();
    server = await serveGateway(upstream.url);
  });
  afterAll(async () => {
    await server.close();
    await upstream.close();
  });

  it("does everything that the revision 2025-11-25 requires", async () => {
    const { passed, failed, output } = await runSuite("server", "--url", server.url, "--requirements", "2025-11-25");
    expect(failed, output).toEqual({});
    expect(passed).toEqual(OLD_ERA);
  });

  it("does everything that the revision 2026-07-28 requires, and the extension for tasks", async () => {
    const limits = ["--timeout", "12000"];
    const run = await runSuite("server", "--url", server.url, "--requirements", "2026-07-28", ...limits);
    expect(run.failed, run.output).toEqual({});
    expect(run.passed).toEqual([...NEW_ERA, ...PENDING, ...TASKS].toSorted());
  });
});
