import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import type { WireEvent } from "../../src/transports/native/wire.ts";
import { makePlace, type Place } from "./run.ts";

const TOOLS = `
import { setTimeout as wait } from "node:timers/promises";
export const echo = {
  name: "echo", description: "Says it again", approval: "preApproved",
  input: { type: "object", properties: { text: { type: "string" } } },
  execute: ({ text }) => { console.log("from a tool"); process.stdout.write("and again\\n"); return { text }; },
};
export const slow = {
  name: "slow", description: "Waits", approval: "preApproved", input: { type: "object" },
  execute: (_, { signal }) => wait(60_000, "late", { signal }),
};
`;

describe("pegboard stdio", () => {
  test("A4-23: takes line ends and marks as they come, and writes one line an event and nothing else", async () => {
    const place = makeServing();
    const texts = ["é", "🙂", "שלום", "a\0b", "\u2028\u2029\u0085", "\r\n\t", "\\ud83d"];
    const commands = texts.map((text, id) =>
      JSON.stringify({ id, type: "tools.call", params: { tool: "math__echo", input: { text } } }),
    );
    const escaped = String.raw`{"id":"e","type":"tools.call","params":{"tool":"math__echo","input":{"text":"\ud83d\ude42"}}}`;
    const stdin = `\ufeff${commands.join("\r\n")}\r\n\n  \n\r\n${escaped}\n{bad\n{"id":"last","type":"ping"}`;
    const { code, stdout, stderr } = await place.runWith({ stdin }, "stdio");
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/[\r\u0085\u2028\u2029]/);
    expect(stdout.endsWith("\n")).toBe(true);
    const events = stdout
      .slice(0, -1)
      .split("\n")
      .map((line) => JSON.parse(line) as WireEvent);
    const answers = new Map(events.filter(({ final }) => final).map(({ id, data, type }) => [id, { data, type }]));
    texts.forEach((text, id) => expect(answers.get(id)).toMatchObject({ data: { structured: { text } } }));
    expect(answers.get("e")).toMatchObject({ data: { structured: { text: "🙂" } } });
    expect(answers.get(null)).toMatchObject({ type: "error", data: { code: "invalid_input", name: "INVALID_JSON" } });
    expect(answers.get("last")).toMatchObject({ type: "pong" });
    expect(stderr).toContain("from a tool");
    expect(stderr).toContain("and again");
  });

  test("A4-18: gives the same result and the same record as a call in the terminal, but for the client", async () => {
    const place = makeServing();
    const call = { id: 1, type: "tools.call", params: { tool: "math__echo", input: { text: "a" } } };
    const served = await place.runWith({ stdin: JSON.stringify(call) }, "stdio");
    const called = await place.run("call", "math__echo", "text=a", "--json", "--quiet");
    expect((JSON.parse(served.stdout.trim().split("\n").at(-1)!) as WireEvent).data).toEqual(JSON.parse(called.stdout));
    const { stdout } = await place.run("log", "--json", "--last", "100");
    const sessions = Map.groupBy(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { session: string; type: string; data: object }),
      ({ session }) => session,
    );
    const [one, other] = Array.from(sessions.values(), (events) =>
      events
        .filter(({ type }) => /^(call|execute)-/.test(type))
        .map(({ type, data }) => ({ type, ...data, ms: 0, process: 0 })),
    );
    expect(one!.map(({ type }) => type)).toEqual(["call-start", "execute-start", "call-end"]);
    expect(one).toEqual(other!.map((event) => ({ ...event, ...("caller" in event && { caller: "model" }) })));
  });

  test("ends when nobody reads its answers any more", async () => {
    const place = makeServing();
    const child = place.start({}, "stdio");
    const exited = once(child, "exit");
    child.stdin!.on("error", () => {});
    child.stdin!.write(`{"id":1,"type":"tools.call","params":{"tool":"math__slow"}}\n`);
    await once(child.stdout!, "data");
    child.stdout!.destroy();
    const asking = setInterval(() => child.stdin!.write(`{"id":2,"type":"ping"}\n`), 50);
    expect(await exited).toEqual([0, null]);
    clearInterval(asking);
  });

  test("answers what goes on and ends when it is told to", async () => {
    const place = makeServing();
    const child = place.start({}, "stdio");
    child.stdin!.write(`{"id":1,"type":"tools.call","params":{"tool":"math__slow"}}\n`);
    const lines = createInterface(child.stdout!);
    const seen: WireEvent[] = [];
    for await (const line of lines) {
      const event = JSON.parse(line) as WireEvent;
      seen.push(event);
      if (event.type === "execute-start") child.kill("SIGTERM");
    }
    const [code] = child.exitCode === null ? ((await once(child, "exit")) as [number]) : [child.exitCode];
    expect(code).toBe(0);
    expect(seen.filter(({ final }) => final)).toMatchObject([
      { id: 1, data: { ok: false, error: { code: "cancelled" } } },
    ]);
  });
});

function makeServing(): Place {
  return makePlace(
    {
      "pegboard.yaml": "version: 1\ntoolsets:\n  math: { module: ./tools.ts, approval: preApproved }\n",
      "tools.ts": TOOLS,
    },
    { trust: true },
  );
}
