import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Answer, CALLERS, toMcpAnswer, toText } from "./callers.ts";
import { range } from "./floods.ts";
import { INITIALIZE, INITIALIZED, toolCall } from "./requests.ts";
import { serveForLoad } from "./serving.ts";
import { startProcess } from "./slow-server-process.ts";

const CLIENTS = 200;
/** The SDK takes its time over HTTP in the old era. */
const callsOf = (name: string) => (name.endsWith("old era") ? 10 : 50);

function textsOf(answers: readonly Answer[]): readonly string[] {
  return answers.toSorted((a, b) => a.id - b.id).map(({ text }) => text);
}

describe.each(Object.entries(CALLERS))("over %s", (name, call) => {
  const calls = callsOf(name);

  it(`answers ${CLIENTS * calls} calls by ${CLIENTS} clients whose ids are equal, each once and none crossed`, async () => {
    const { port } = await serveForLoad();
    const textOf = (client: number, id: number) => `${client}-${id}`;
    const inputsOf = (client: number) => range(calls).map((id) => ({ text: textOf(client, id) }));
    const all = await Promise.all(range(CLIENTS).map((client) => call(port, "echo", inputsOf(client))));
    for (const [at, answers] of all.entries())
      expect(textsOf(answers)).toEqual(range(calls).map((id) => textOf(at + 1, id)));
  });

  it("answers what is over the limit with busy, while the rest is at work", async () => {
    const { port, counts, close } = await serveForLoad({ work: 20 });
    let heard = 0;
    const inputs = range(5).map(() => ({}));
    const clients = range(10).map(() => call(port, "wait", inputs, () => heard++));
    await expect.poll(() => [counts.begun, heard], { timeout: 10_000 }).toEqual([20, 30]);
    // The others have their answer when the server ends.
    await close();
    const texts = (await Promise.all(clients)).flatMap(textsOf);
    expect(texts).toHaveLength(50);
    expect(texts.filter((text) => /busy|at work already/.test(text))).toHaveLength(30);
    expect(counts).toEqual({ begun: 20, aborted: 20 });
  });
});

describe("over standard streams", () => {
  const doors = {
    mcp: {
      hello: [INITIALIZE, INITIALIZED],
      call: (id: number) => toolCall(id, "echo", { text: `${id}` }),
      read: toMcpAnswer,
    },
    native: {
      hello: [],
      call: (id: number) => ({ id, type: "tools.call", params: { tool: "echo", input: { text: `${id}` } } }),
      read: ({ id, final, data }: any): Answer | undefined => (final ? { id, text: toText(data) } : undefined),
    },
  };

  it.each(Object.entries(doors))("answers 5000 calls at once, each once and none crossed: %s", async (door, talk) => {
    const child = startProcess(door);
    onTestFinished(() => void child.kill("SIGKILL"));
    const ids = range(5_000);
    child.stdin!.end([...talk.hello, ...ids.map(talk.call)].map((message) => `${JSON.stringify(message)}\n`).join(""));
    const answers: Answer[] = [];
    for await (const line of createInterface(child.stdout!)) {
      const message = JSON.parse(line);
      const answer = message.id === 0 ? undefined : talk.read(message);
      if (answer) answers.push(answer);
    }
    expect(textsOf(answers)).toEqual(ids.map(String));
  });
});
