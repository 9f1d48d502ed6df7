import { expect, test } from "vitest";
import type { RunResult } from "../../src/index.ts";
import { makeAgentPlace, startAndWatch } from "./agent-place.ts";
import { finish } from "./run.ts";

const SLOW = [{ calls: [{ tool: "vfs_list" }] }, { delay: "60s", text: "Late." }];

test.each(["SIGINT", "SIGTERM"] as const)(
  "A4-27: %s cancels the run with 130, and its session takes the next prompt and its history",
  async (signal) => {
    const place = makeAgentPlace(SLOW);
    const { child, said } = startAndWatch(place, "run", "helper", "Go", "--json");
    child.stdin!.end();
    const ended = finish(child);
    await said("< vfs_list");
    child.kill(signal);
    const { code, stdout } = await ended;
    const result = JSON.parse(stdout) as RunResult;
    expect({ code, result }).toMatchObject({
      code: 130,
      result: { status: "cancelled", error: { code: "cancelled" } },
    });
    place.write("script.json", JSON.stringify([SLOW[0], "On time."]));
    const next = await place.run("run", "helper", "Again", "--continue", result.run, "--quiet");
    expect(next).toEqual({ code: 0, stdout: "On time.\n", stderr: "" });
  },
);

test("Ctrl-C at a question cancels the run", async () => {
  const place = makeAgentPlace([{ calls: [{ tool: "web_fetch", input: { url: "https://example.com" } }] }, "Done."]);
  const { code, stdout } = await place.onTerminal([["Allow it? ", "\u0003"]], "run", "helper", "Go");
  expect({ code, stdout }).toEqual({ code: 130, stdout: expect.stringContaining("cancelled") });
});
