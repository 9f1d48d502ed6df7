import { expect, test } from "vitest";
import { makeAgentPlace } from "./agent-place.ts";
import { CONFIG, makePlace } from "./run.ts";

const NOTE = "A pool lives in a process that stays. That of a chat: pegboard chat, and there /pool\n";

test("/pool of a chat shows the agents that it keeps warm, how often they were used, and what holds for them", async () => {
  const place = makeAgentPlace(["One.", "Two."], {
    "pegboard.yaml": "version: 1\nmodel: scripted:script.json\nlimits: { poolSize: 2, poolIdle: 90s }\n",
  });
  const { code, stdout } = await place.runWith({ stdin: "/pool\nhello\nagain\n/pool\n" }, "chat", "helper");
  expect(code).toBe(0);
  expect(stdout.split("\n")).toEqual([
    "0 of 2 agents kept warm, 0 at work; idle ones go after 90s",
    "One.",
    "Two.",
    "1 of 2 agents kept warm, 0 at work; idle ones go after 90s",
    expect.stringMatching(/^agent-helper {2}idle for \d+s {2}2 uses {2}\d+s old {2}[0-9a-f]{8}$/),
    "",
  ]);
});

test("agents pool shows what holds here, and says where a pool is", async () => {
  const place = makePlace({ "pegboard.yaml": CONFIG });
  expect(await place.run("agents", "pool")).toEqual({
    code: 0,
    stdout: "0 of 5 agents kept warm, 0 at work; idle ones go after 10m\n",
    stderr: NOTE,
  });
  const { code, stdout } = await place.run("agents", "pool", "--json");
  expect({ code, ...JSON.parse(stdout) }).toEqual({
    code: 0,
    pool: { total: 0, inUse: 0, available: 0, max: 5, maxIdleMs: 600_000, instances: [] },
  });
});
