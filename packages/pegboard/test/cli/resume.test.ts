import { once } from "node:events";
import { expect, test } from "vitest";
import type { Event, RunResult } from "../../src/index.ts";
import { makeAgentPlace, startAndWatch } from "./agent-place.ts";
import type { Place } from "./run.ts";

const LOOK = { calls: [{ tool: "vfs_list" }] };

/** A place where a run was cut off after its first turn. Resolves to the beginning of nothing: the run's id is in the log. */
async function cutOff(): Promise<Place> {
  const place = makeAgentPlace([LOOK, { delay: "60s", text: "Never" }]);
  const { child, said } = startAndWatch(place, "run", "helper", "Go", "on");
  await said("< vfs_list");
  child.kill("SIGKILL");
  await once(child, "close");
  place.write("script.json", JSON.stringify([LOOK, "Done."]));
  return place;
}

test("a run whose process was killed is listed as interrupted and goes on where it was", async () => {
  const place = await cutOff();
  const listed = await place.run("runs");
  expect(listed.stdout).toMatch(/^[0-9a-f]{8} {2}interrupted .* helper .*Go on\n$/);
  expect(listed.stderr).toContain("pegboard resume");
  const { code, stdout, stderr } = await place.run("resume");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
  expect(stderr).toMatch(/Going on with run [0-9a-f]{8} of agent "helper": Go on/);
  expect(stderr).not.toContain("> vfs_list");
  expect(stderr).toMatch(/2 turns, 1 call/);
  expect((await place.run("runs")).stdout).toMatch(/completed/);
  const again = await place.run("resume");
  expect(again).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("nothing to resume") });
});

test("resume takes a session or a run, and prints JSON or events", async () => {
  const place = await cutOff();
  const { runs } = JSON.parse((await place.run("runs", "--json")).stdout) as {
    runs: { run: string; session: string }[];
  };
  const [{ run, session }] = runs as [{ run: string; session: string }];
  const { stdout, code } = await place.run("resume", session.slice(0, 6), "--stream-json");
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Event);
  expect(code).toBe(0);
  expect(events.at(-1)).toMatchObject({ type: "run-end", run });
  const over = await place.run("resume", run.slice(0, 8), "--json");
  expect(over.code).toBe(1);
  expect(JSON.parse(over.stdout)).toMatchObject({
    error: { code: "not_found", message: expect.stringContaining("--continue") },
  });
  const unknown = await place.run("resume", "nosuch");
  expect(unknown.stderr).toContain('There is no session or run "nosuch"');
  const both = await place.run("resume", "--json", "--stream-json");
  expect(both.code).toBe(2);
});

test("an approval that is answered after the process was killed lets the resumed run call", async () => {
  const place = makeAgentPlace(
    [{ calls: [{ tool: "vfs_write", input: { path: "a.md", content: "x" } }] }, "Written."],
    {
      "pegboard.yaml":
        "version: 1\nmodel: scripted:script.json\npolicy:\n  rules:\n    - tool: vfs_write\n      approval: ask\n",
    },
  );
  const { child, said } = startAndWatch(place, "run", "helper", "Go", "--approve", "wait");
  await said("pegboard approvals answer");
  child.kill("SIGKILL");
  await once(child, "close");
  const { approvals } = JSON.parse((await place.run("approvals", "list", "--json")).stdout) as {
    approvals: { id: string }[];
  };
  const answered = await place.run("approvals", "answer", approvals[0]!.id, "allow");
  expect(answered.stderr).toContain("pegboard resume");
  const { stdout } = await place.run("resume", "--approve", "wait", "--json");
  expect(JSON.parse(stdout) as RunResult).toMatchObject({ status: "completed", text: "Written.", calls: 1 });
  expect((await place.run("call", "vfs_read", "path=a.md")).stdout).toContain("x");
});

test("a run of another process is not resumed, and is cancelled through the log", async () => {
  const place = makeAgentPlace([{ delay: "60s", text: "Never" }]);
  const { child } = startAndWatch(place, "run", "helper", "Go");
  const running = async () => (await place.run("runs", "--status", "running")).stdout.slice(0, 8);
  await expect.poll(running, { timeout: 10_000 }).toMatch(/^[0-9a-f]{8}$/);
  const run = await running();
  expect((await place.run("resume", run)).stderr).toContain("is at work in another process");
  const ended = once(child, "close");
  expect(await place.run("cancel", run)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("1 run was asked to end"),
  });
  expect((await ended)[0]).toBe(130);
  expect((await place.run("runs")).stdout).toContain("cancelled");
  expect(await place.run("cancel", run)).toMatchObject({ code: 1, stderr: expect.stringContaining("it is over") });
});

test("a run that was interrupted is cancelled for good", async () => {
  const place = await cutOff();
  const { runs } = JSON.parse((await place.run("runs", "--json")).stdout) as { runs: { run: string }[] };
  expect((await place.run("cancel", runs[0]!.run)).stdout).toContain("1 run was ended");
  expect((await place.run("resume")).code).toBe(1);
});
