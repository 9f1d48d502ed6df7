import { describe, expect, test } from "vitest";
import { type ApprovalRequest, createRuntime, defineTool, fail, memoryStore, type Result } from "../../src/index.ts";
import corpus from "../corpora/secrets.json" with { type: "json" };

const TOKEN = "tok_EXAMPLE_0123456789abcdef0123456789abcdef";
const SECRETS = new Map([
  ["token", TOKEN],
  ["pin", "7391"],
  ["word", "password"],
]);
const secrets = { get: async (name: string) => SECRETS.get(name), known: () => SECRETS };

interface Case {
  readonly id: string;
  readonly where: string;
  readonly text: string | readonly string[];
  readonly mustNotContain: string | null;
}

const CASES = corpus.cases as readonly Case[];

/** What a tool can do with a text. */
const WAYS: Readonly<Record<string, (pieces: readonly string[]) => unknown>> = {
  "returns it": (pieces) => ({ content: pieces.map((text) => ({ type: "text", text })) }),
  "returns it as data": (pieces) => ({ [pieces.join("")]: { deep: [pieces.join("")] } }),
  "returns it as bytes": (pieces) => new TextEncoder().encode(pieces.join("")),
  "throws it": (pieces) => {
    throw new Error(pieces.join(""));
  },
  "fails with it": (pieces) => fail("rate_limited", pieces.join(""), { details: { pieces: [...pieces] } }),
  "returns more than fits": (pieces) => `${"x".repeat(2_000)}${pieces.join("")}${"y".repeat(2_000)}${pieces.join("")}`,
  "returns more than fits, cut in the middle of it": (pieces) =>
    `${"x".repeat(980)}${pieces.join("")}${"y".repeat(2_000)}`,
};

/** Does everything with a text that can be done, and gathers everything that was written down or handed on. */
async function gather({ text }: Case) {
  const pieces = typeof text === "string" ? [text] : text;
  const whole = pieces.join("");
  const received: unknown[] = [];
  const shown: ApprovalRequest[] = [];
  const store = memoryStore();
  const tool = (name: string, act: (input: { text: string }) => unknown) =>
    defineTool({
      name,
      description: "d",
      input: { type: "object", properties: { text: { type: "string" } } },
      summary: (input) => `Would send ${input.text}`,
      execute: (input, { progress }) => {
        received.push(input.text);
        for (const piece of pieces) progress(piece);
        // Long enough to be cut off inside of the secret.
        progress(`${"z".repeat(4_066 - Math.max(0, whole.indexOf(TOKEN)))}${whole}`);
        return act(input as { text: string });
      },
    });
  const runtime = createRuntime({
    store,
    secrets,
    limits: { resultCharacters: 1_000 },
    approver: (request) => {
      shown.push(request);
      return { decision: "allow", note: whole };
    },
    hooks: [
      {
        beforeCall: () => ({ action: "ask", reason: whole }),
        afterCall: (_, result) => ({ ...result, meta: { said: whole } }),
      },
    ],
    tools: [
      ...Object.values(WAYS).map((act, index) => tool(`way${index}`, () => act(pieces))),
      defineTool({
        name: "outer",
        description: "d",
        input: { type: "object" },
        execute: async (_, { call }) => JSON.stringify(await call("way0", { text: whole })),
      }),
    ],
  });
  const session = runtime.open({ metadata: { text: whole } });
  const results: Result[] = [];
  for (const index of Object.keys(WAYS).keys()) results.push(await session.call(`way${index}`, { text: whole }));
  results.push(
    await session.call("outer"),
    await session.call(whole),
    await session.call("way0", { text: 5, [whole]: whole }),
  );
  const handles = results.flatMap(({ meta }) => meta.cut?.handle ?? []);
  for (const handle of handles) results.push(await session.call("read_result", { handle, limit: 5_000 }));
  await session.close();
  const events = await store.read();
  const calls = [...new Set(events.flatMap(({ call }) => call ?? []))];
  const blobs = await Promise.all(calls.map((call) => store.blobs.read(session.id, call, 0, 1e6)));
  const exported = events.map((event) => JSON.stringify(event)).join("\n");
  return { whole, received, results, shown, exported, blobs: blobs.filter(Boolean) };
}

describe("a secret", () => {
  test.each(CASES.filter(({ mustNotContain }) => mustNotContain !== null))(
    "$id $where: reaches the tool, and no log, blob, approver or caller",
    async (one) => {
      const { whole, received, results, shown, exported, blobs } = await gather(one);
      expect(received).toHaveLength(Object.keys(WAYS).length + 1);
      expect(new Set(received)).toEqual(new Set([whole]));
      expect([shown.length > received.length, blobs.length > 1]).toEqual([true, true]);
      for (const sink of [exported, JSON.stringify(results), JSON.stringify(shown), JSON.stringify(blobs)]) {
        expect(sink).not.toContain(one.mustNotContain);
        expect(sink).not.toContain(JSON.stringify(one.mustNotContain).slice(1, -1));
        // Not most of it either: a cut must not leave a beginning that nothing finds.
        if (typeof one.text === "string") expect(sink).not.toContain(TOKEN.slice(0, 24));
      }
      if (typeof one.text === "string") expect(exported).toContain("[secret token]");
    },
  );

  test.each(CASES.filter(({ mustNotContain }) => mustNotContain === null))(
    "$id $where: the text stays readable",
    async (one) => {
      const { whole, results, exported } = await gather(one);
      expect(results[0]!.content).toEqual([{ type: "text", text: whole }]);
      expect(exported).toContain(JSON.stringify(whole).slice(1, -1));
    },
  );

  test.each(CASES)("$id $where: is taken out of a stream, whatever its pieces", ({ text, mustNotContain }) => {
    const { redactor } = createRuntime();
    for (const [name, value] of SECRETS) redactor.add(name, value);
    const whole = [text].flat().join("");
    for (const pieces of [[text].flat(), whole.split("")]) {
      const stream = redactor.stream();
      const written = pieces.map((piece) => stream.write(piece)).join("") + stream.end();
      if (mustNotContain === null) expect(written).toBe(whole);
      else expect(written).not.toContain(mustNotContain);
    }
  });
});
