import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { processesIn } from "../node/processes-in.ts";
import { type Started, startServing } from "./serving.ts";
import { stopPlace } from "./stop-place.ts";

/** Calls tools at once, each in the session of its number; the answers come in the same order. */
async function callAll({ ask }: Started, tools: readonly string[]) {
  const ids = await Promise.all(
    Array.from(
      { length: 10 },
      async () => ((await (await ask("/v1/sessions", {})).json()) as { session: string }).session,
    ),
  );
  return tools.map(async (tool, index) => {
    const answer = await ask(`/v1/sessions/${ids[index % ids.length]}/tools/${tool}`, {});
    return { tool, status: answer.status, body: (await answer.json()) as any };
  });
}

async function workOf({ ask }: Started): Promise<number> {
  return ((await (await ask("/health")).json()) as { work: number }).work;
}

describe("pegboard serve, when it is told to end", () => {
  it("A3-16: answers each of 100 calls once, refuses new ones with the reason, ends with code 0 and leaves no process behind", async () => {
    const place = stopPlace();
    const server = await startServing(place);
    const tools = [
      ..."held ".repeat(70).trim().split(" "),
      ...["never", "deaf", "child"].flatMap((name) => Array(10).fill(name) as string[]),
    ];
    const calls = await callAll(server, tools);
    await expect.poll(() => workOf(server), { timeout: 20_000 }).toBe(100);
    await expect.poll(() => processesIn(place.folder).length, { timeout: 20_000 }).toBeGreaterThan(10);
    const began = performance.now();
    server.child.kill("SIGTERM");
    await expect.poll(async () => (await server.ask("/health")).status).toBe(503);
    const refused = await server.ask("/v1/sessions", {});
    expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining("shutting down")]);
    place.write("go", "");
    const answers = await Promise.all(calls);
    const { code, stderr } = await server.ended;
    expect(performance.now() - began).toBeLessThan(10_000);
    expect([code, stderr]).toEqual([0, expect.stringContaining("did not clean up")]);
    expect(answers.filter(({ tool, body }) => tool === "held" && body.ok === true)).toHaveLength(70);
    const others = answers.filter(({ tool }) => tool !== "held");
    expect(others.filter(({ body }) => body.ok === false && body.error.code === "cancelled")).toHaveLength(30);
    await expect.poll(() => processesIn(place.folder)).toEqual([]);
    const verified = await place.run("audit", "verify", "--json");
    expect(verified.code).toBe(0);
    const ends = (await place.run("log", "--type", "call-end", "-n", "1000", "--json")).stdout.trim().split("\n");
    expect(ends).toHaveLength(100);
  }, 60_000);

  it("ends at once at the second signal", async () => {
    const place = stopPlace();
    const server = await startServing(place);
    const calls = await callAll(server, ["never", "child"]);
    await expect.poll(() => workOf(server), { timeout: 20_000 }).toBe(2);
    const lost = Promise.allSettled(calls);
    server.child.kill("SIGTERM");
    await expect.poll(async () => (await server.ask("/health")).status).toBe(503);
    const began = performance.now();
    server.child.kill("SIGTERM");
    expect((await server.ended).code).toBe(130);
    expect(performance.now() - began).toBeLessThan(2_000);
    expect((await lost).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await pause(10);
    await expect.poll(() => processesIn(place.folder)).toEqual([]);
  }, 30_000);
});
