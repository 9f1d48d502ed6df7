import { expect, test } from "vitest";
import { makeAgentPlace } from "./agent-place.ts";

interface Listed {
  readonly sessions: readonly { readonly session: string; readonly prompt: string; readonly status: string }[];
}

test("session list shows the newest first, and show tells the conversation", async () => {
  const place = makeAgentPlace([{ text: "Looking.", calls: [{ tool: "vfs_list" }] }, "Hello."]);
  await place.run("run", "helper", "First", "--session", "one");
  await place.run("run", "helper", "Second", "--session", "two");
  const { sessions } = JSON.parse((await place.run("session", "list", "--json")).stdout) as Listed;
  expect(sessions).toMatchObject([
    { session: "two", prompt: "Second", status: "closed" },
    { session: "one", prompt: "First", status: "closed" },
  ]);
  expect((await place.run("session", "list", "-n", "1")).stdout).toMatch(/^two {2}closed .* 1 run .* Second\n$/);
  const { stdout } = await place.run("session", "show", "on");
  expect(stdout).toMatch(/^one closed\ncli, as local, .*\nrun [0-9a-f]{8} helper: completed, 2 turns\n/);
  expect(stdout).toContain("user: First\n\nassistant: Looking.\n\ncalls: vfs_list {}\n\nvfs_list: ");
  expect(stdout).toMatch(/assistant: Hello\.\n$/);
});

test("fork, inject and clear change what a conversation goes on from", async () => {
  const place = makeAgentPlace(["Hello.", { expect: "By the way\nIt rains", text: "Thanks." }]);
  await place.run("run", "helper", "Hi", "--session", "one");
  const forked = JSON.parse((await place.run("session", "fork", "one", "--as", "twig", "--json")).stdout) as {
    run: string;
  };
  expect((await place.run("session", "inject", "twig", "By the way\nIt rains")).code).toBe(0);
  const words = (session: string) => place.run("session", "show", session);
  expect((await words("twig")).stdout).toContain("It rains");
  expect((await words("one")).stdout).not.toContain("It rains");
  await place.run("session", "clear", "one");
  expect((await words("one")).stdout).not.toContain("Hello.");
  expect((await words("twig")).stdout).toContain("Hello.");
  expect(forked.run).toMatch(/^[0-9a-f-]{36}$/);
  expect((await place.run("session", "fork", "twig", "--as", "../up")).stderr).toContain("refused");
});

test("A4-26: delete takes one session out of the log, and says which are not there", async () => {
  const place = makeAgentPlace(["Hello."]);
  await place.run("run", "helper", "Hi", "--session", "one");
  await place.run("run", "helper", "Hi", "--session", "two");
  expect(await place.run("session", "delete", "one")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--yes"),
  });
  expect(await place.run("session", "delete", "one", "--yes")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Took session one \(\d+ events\) out of the log\n$/),
  });
  expect((await place.run("session", "list")).stdout).toMatch(/^two /);
  expect(await place.run("session", "show", "one")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("There is no session"),
  });
  expect((await place.run("audit", "verify")).code).toBe(0);
});

test("A4-31: clean takes sessions of a certain age and says how many", async () => {
  const place = makeAgentPlace(["Hello."]);
  await place.run("run", "helper", "Hi", "--session", "one");
  expect((await place.run("session", "clean", "--older-than", "1h", "--yes")).stdout).toContain("Took 0 sessions");
  expect((await place.run("session", "clean", "--older-than", "1ms", "--yes", "--json")).stdout).toContain(
    '"sessions": 1',
  );
  expect((await place.run("session", "list")).stderr).toContain("There is no session");
});
