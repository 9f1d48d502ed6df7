import { once } from "node:events";
import { expect, it } from "vitest";
import { TOKEN } from "./requests.ts";
import { serveForLoad } from "./serving.ts";

const CLIENTS = 200;
const CALLS = 50;

interface Answer {
  readonly id: number;
  readonly result?: { readonly content: readonly { readonly text: string }[] };
}

/** A client on a WebSocket that makes all its calls at once, with the same ids as every other client. */
async function callAll(port: number, client: number): Promise<readonly Answer[]> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, ["mcp", `bearer.${TOKEN}`]);
  await once(socket, "open");
  const answers: Answer[] = [];
  const done = Promise.withResolvers<void>();
  const send = (message: object) => socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  socket.addEventListener("message", ({ data }) => {
    const answer = JSON.parse(data as string) as Answer;
    if (answer.id !== 0) return void (answers.push(answer) === CALLS && done.resolve());
    send({ method: "notifications/initialized" });
    for (let id = 1; id <= CALLS; id++)
      send({ id, method: "tools/call", params: { name: "echo", arguments: { text: `${client}-${id}` } } });
  });
  socket.addEventListener("close", () => done.reject(new Error("The server hung up")));
  const clientInfo = { name: "load", version: "1.0.0" };
  send({ id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } });
  await done.promise;
  socket.close();
  return answers;
}

it(`answers ${CLIENTS * CALLS} calls at once by ${CLIENTS} clients whose ids are equal, each once and none crossed`, async () => {
  const { port } = await serveForLoad();
  const all = await Promise.all(Array.from({ length: CLIENTS }, (_, client) => callAll(port, client)));
  for (const [client, answers] of all.entries()) {
    const texts = answers.toSorted((a, b) => a.id - b.id).map(({ result }) => result?.content[0]?.text);
    expect(texts).toEqual(Array.from({ length: CALLS }, (_, at) => `${client}-${at + 1}`));
  }
});
