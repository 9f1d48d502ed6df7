import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ApprovalRecord, Event } from "../../src/index.ts";
import { CONFIG, finish, makePlace, type Place, toolModule } from "./run.ts";

const FILES = {
  "pegboard.yaml": CONFIG,
  "tools/own.ts": toolModule({
    pay: `capabilities: ["write"], summary: ({ to }) => "Pay " + to, execute: ({ to }) => "paid " + to`,
  }),
};

const workspace = () => makePlace(FILES, { trust: true });

/** Starts a call that waits, and resolves once it has said how to answer. */
async function waiting(place: Place, ...argv: readonly string[]): Promise<{ child: ChildProcess; id: string }> {
  const child = place.start({}, "call", "pay", "--approve", "wait", ...argv);
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin!.end();
  let said = "";
  const id = await new Promise<string>((resolve, reject) => {
    child.stderr!.on("data", (chunk: Buffer) => {
      const found = /pegboard approvals answer (\S+) allow/.exec((said += chunk.toString()))?.[1];
      if (found) resolve(found);
    });
    child.once("close", () => reject(new Error(`it did not wait: ${said}`)));
  });
  return { child, id };
}

async function list(place: Place): Promise<readonly ApprovalRecord[]> {
  const { stdout } = await place.run("approvals", "list", "--json");
  return (JSON.parse(stdout) as { approvals: ApprovalRecord[] }).approvals;
}

async function events(place: Place, ...argv: readonly string[]): Promise<Event[]> {
  const { stdout } = await place.run("log", "export", ...argv);
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Event);
}

describe("a call that waits", () => {
  test("A4-11 is listed, shown whole and allowed from another process, and then runs", async () => {
    const place = workspace();
    const { child, id } = await waiting(place, "to=\u202eann");
    const ended = finish(child);
    expect(await list(place)).toEqual([
      expect.objectContaining({
        id,
        tool: "pay",
        input: { to: "\u202eann" },
        status: "waiting",
        reason: "it can: write",
      }),
    ]);
    expect((await place.run("approvals", "list")).stdout).toMatch(
      /^[0-9a-f]{8} {2}waiting, \d+[sm] left {2}[0-9a-f]{8} {2}pay {2}Pay \\u\{202e\}ann\n$/,
    );
    const shown = await place.run("approvals", "show", id.slice(0, 8), "--no-color");
    expect(shown.stdout).toContain(`Input\n    {\n      "to": "\\u{202e}ann"\n    }\n`);
    expect(shown.stdout).toMatch(/Digest of the tool's definition\n {4}[0-9a-f]{64}\n/);
    expect(await place.run("approvals", "answer", id, "allow")).toMatchObject({
      code: 0,
      stdout: `Answered ${id}: allow\n`,
      stderr: "",
    });
    expect(await ended).toMatchObject({ code: 0, stdout: "paid \u202eann\n" });
    expect(await list(place)).toEqual([]);
    expect((await place.run("approvals", "show", id)).stdout).toContain("allow, by command line");
  });

  test("A4-11 is denied from another process with a note, and does not run", async () => {
    const place = workspace();
    const { child, id } = await waiting(place, "to=ann");
    const ended = finish(child);
    await place.run("approvals", "answer", id, "deny", "--note", "not on a Friday");
    expect((await ended).code).toBe(3);
    const [end] = await events(place, "--type", "call-end");
    expect(end!.data).toMatchObject({
      ok: false,
      error: { code: "denied", message: expect.stringContaining("not on a Friday") },
    });
    expect(await events(place, "--type", "execute-start")).toEqual([]);
  });

  test("A4-11 expires, which is told as expiry, and is refused an answer afterwards", async () => {
    const place = workspace();
    const { child, id } = await waiting(place, "to=ann", "--expires", "0.3s");
    let stderr = "";
    child.stderr!.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    expect((await finish(child)).code).toBe(3);
    expect(stderr).toContain("error (expired): Nobody answered in time");
    expect(await place.run("approvals", "answer", id, "allow")).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/error \(expired\): The approval request ".*" expired at/),
    });
  });

  test("A4-11 is cancelled by Ctrl-C, and says so to whoever answers later", async () => {
    const place = workspace();
    const { child, id } = await waiting(place, "to=ann");
    child.kill("SIGINT");
    expect((await finish(child)).code).toBe(130);
    expect(await list(place)).toEqual([]);
    expect(await place.run("approvals", "answer", id, "allow")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("answered already: cancelled, by caller"),
    });
  });

  test("that dies is listed until it expires, and its answer is remembered for the session", async () => {
    const place = workspace();
    const { child, id } = await waiting(place, "to=ann", "--session", "mine");
    child.kill("SIGKILL");
    await finish(child);
    expect(await place.run("approvals", "answer", id, "allow", "--remember", "input")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("The process that asked is gone"),
    });
    expect(await place.run("call", "pay", "to=ann", "--session", "mine")).toMatchObject({ code: 0 });
    const other = await waiting(place, "to=ann", "--expires", "0.3s");
    other.child.kill("SIGKILL");
    await finish(other.child);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await list(place)).toEqual([expect.objectContaining({ id: other.id, status: "expired" })]);
    expect((await place.run("approvals", "answer", other.id, "allow")).stderr).toContain("error (expired)");
  });
});

describe("an answer", () => {
  test("A4-12 to an unknown request is an error, and so is one that was not offered", async () => {
    const place = workspace();
    const { child, id } = await waiting(place, "to=ann");
    const ended = finish(child);
    expect(await place.run("approvals", "answer", "nobody", "allow")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('error (not_found): There is no approval request "nobody"'),
    });
    expect((await place.run("approvals", "answer", id, "perhaps")).code).toBe(2);
    expect((await place.run("approvals", "answer", id, "allow", "--remember", "life")).code).toBe(2);
    expect(await list(place)).toHaveLength(1);
    await place.run("approvals", "answer", id, "deny");
    await ended;
  });

  test("A4-12 of several that come at once counts exactly once, and the others are told which one did", async () => {
    const place = workspace();
    const { child, id } = await waiting(place, "to=ann");
    const ended = finish(child);
    const answers = await Promise.all(
      ["allow", "deny", "allow", "deny"].map((decision) => place.run("approvals", "answer", id, decision)),
    );
    const won = answers.filter(({ code }) => code === 0);
    expect(won).toHaveLength(1);
    for (const { code, stderr } of answers.filter((answer) => answer !== won[0])) {
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/error \(duplicate\): .* answered already/),
      });
    }
    const responses = await events(place, "--type", "approval-response");
    expect(responses).toHaveLength(1);
    const { decision } = responses[0]!.data as { decision: string };
    expect(won[0]!.stdout).toBe(`Answered ${id}: ${decision}\n`);
    expect((await ended).code).toBe(decision === "allow" ? 0 : 3);
  });

  test("A1-12, A4-12 for the same input holds in that session in later processes, for no other input and no other session", async () => {
    const place = workspace();
    const { child, id } = await waiting(place, "to=ann", "--session", "mine");
    const ended = finish(child);
    await place.run("approvals", "answer", id, "allow", "--remember", "input");
    expect(await ended).toMatchObject({ code: 0 });
    expect(await place.run("call", "pay", "to=ann", "--session", "mine")).toMatchObject({
      code: 0,
      stdout: "paid ann\n",
    });
    expect((await place.run("call", "pay", "to=bob", "--session", "mine")).code).toBe(3);
    expect((await place.run("call", "pay", "to=ann", "--session", "other")).code).toBe(3);
    const starts = await events(place, "--session", "mine", "--type", "execute-start");
    expect(starts.map(({ data }) => (data as { cached?: boolean }).cached)).toEqual([false, true]);
    place.write("tools/own.ts", FILES["tools/own.ts"].replace("The pay tool", "Another tool"));
    expect((await place.run("call", "pay", "to=ann", "--session", "mine")).code).toBe(3);
  });

  test("for good is kept as a rule of the person by the process that waited", async () => {
    const place = workspace();
    const { child, id } = await waiting(place, "to=ann");
    const ended = finish(child);
    await place.run("approvals", "answer", id, "allow", "--remember", "rule");
    expect(await ended).toMatchObject({ code: 0 });
    expect(existsSync(`${place.home}/policy.yaml`)).toBe(true);
    expect(await place.run("call", "pay", "to=bob")).toMatchObject({ code: 0 });
  });
});

test("where nothing happened there is nothing to answer, and nothing is made", async () => {
  const place = workspace();
  expect(await list(place)).toEqual([]);
  expect((await place.run("approvals", "show", "x")).code).toBe(1);
  expect(existsSync(place.path(".pegboard"))).toBe(false);
});
