import { createHash } from "node:crypto";
import { PassThrough } from "node:stream";
import { createInterface } from "node:readline";
import type { Runtime } from "pegboard";
import { createClient } from "pegboard/client";
import { serveMcpLines, serveNativeLines } from "pegboard/node";
import { WebSocket } from "ws";
import { type Chaos, disturb, startProxy } from "./chaos.ts";
import { toMcpAnswer, toText } from "./callers.ts";
import { INITIALIZE, INITIALIZED, modernCall, send, TOKEN, toolCall } from "./requests.ts";

/** What came of calls: the texts of those that were answered, by their ids. */
export interface Outcome {
  readonly texts: ReadonlyMap<number, string>;
  /** Whether the client saw that its connection had ended. */
  readonly hungUp: boolean;
  /** Why calls have no answer, where that was said. */
  readonly problems?: readonly string[];
}

/** What a client speaks with. */
export interface Place {
  readonly runtime: Runtime;
  readonly port: number;
}

/** Makes calls of `echo` through a weather. Resolves when all are answered, the connection has ended or the time is up. */
export type ChaosClient = (place: Place, chaos: Chaos, texts: readonly string[]) => Promise<Outcome>;

/** No call takes longer: then its client has given up, which is an answer too. What is damaged is not waited for long. */
const limitOf = ({ weather }: Chaos) => (weather === "damaged" ? 1_500 : 15_000);

/** A text that tells whether it is whole. */
export function signed(text: string): string {
  return `${text} é🙂 ${digest(text)}`;
}

/** What was signed; undefined for what is not whole. */
export function unsigned(text: string): string | undefined {
  const [, said = "", sum] = /^(.*) é🙂 (\w+)$/s.exec(text) ?? [];
  return digest(said) === sum ? said : undefined;
}

const digest = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);

const nativeCall = (id: number, text: string) => ({
  id,
  type: "tools.call",
  params: { tool: "echo", input: { text } },
});
const readNative = ({ id, final, data }: any) => (final ? { id, text: toText(data) } : undefined);
const readMcp = (message: any) => (message.id === 0 ? undefined : toMcpAnswer(message));

export const CHAOS_CLIENTS: Readonly<Record<string, ChaosClient>> = {
  "MCP on standard streams": (place, chaos, texts) =>
    onLines((io) => serveMcpLines(place.runtime, io), chaos, texts.length, {
      messages: [INITIALIZE, INITIALIZED, ...texts.map((text, at) => toolCall(at + 1, "echo", { text }))],
      read: readMcp,
    }),
  "our own protocol on standard streams": (place, chaos, texts) =>
    onLines((io) => serveNativeLines(place.runtime, io), chaos, texts.length, {
      messages: texts.map((text, at) => nativeCall(at + 1, text)),
      read: readNative,
    }),
  "MCP on a WebSocket": (place, chaos, texts) =>
    onSocket(place, chaos, "mcp", texts.length, {
      messages: [INITIALIZE, INITIALIZED, ...texts.map((text, at) => toolCall(at + 1, "echo", { text }))],
      read: readMcp,
    }),
  "our own protocol on a WebSocket": (place, chaos, texts) =>
    onSocket(place, chaos, "pegboard", texts.length, {
      messages: texts.map((text, at) => nativeCall(at + 1, text)),
      read: readNative,
    }),
  "MCP over Streamable HTTP": (place, chaos, texts) =>
    overHttp(place, chaos, texts, async (port, id, text, signal) => {
      const response = await send(port, modernCall(id, "echo", { text }), signal);
      return toMcpAnswer(await response.json())!.text;
    }),
  "pegboard/client": (place, chaos, texts) =>
    overHttp(place, chaos, texts, async (port, _, text, signal) => {
      const client = createClient({ url: `http://127.0.0.1:${port}`, token: TOKEN });
      const { session } = await client.send("session.create", {}, { signal });
      const work = client.stream("tools.call", { tool: "echo", input: { text } }, { session, signal });
      for (;;) {
        const { done, value } = await work.next();
        if (done) return toText(value);
      }
    }),
};

interface Talk {
  readonly messages: readonly object[];
  read(message: any): { readonly id: number; readonly text: string } | undefined;
}

/** Hears messages until all calls are answered, nobody is there any more or the time is up. */
function listen(count: number, { read }: Talk, chaos: Chaos) {
  const texts = new Map<number, string>();
  const over = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => over.resolve(false), limitOf(chaos));
  return {
    hear(line: string) {
      let answer;
      try {
        answer = read(JSON.parse(line));
      } catch {
        // What is no message is no answer.
      }
      // The first answer counts.
      if (answer && !texts.has(answer.id)) texts.set(answer.id, answer.text);
      if (texts.size >= count) over.resolve(false);
    },
    hangUp: () => over.resolve(true),
    async outcome(): Promise<Outcome> {
      const hungUp = await over.promise;
      clearTimeout(timer);
      return { texts, hungUp };
    },
  };
}

type LineServer = (io: { input: PassThrough; send(line: string): Promise<void> }) => Promise<void>;

async function onLines(serve: LineServer, chaos: Chaos, count: number, talk: Talk): Promise<Outcome> {
  const [there, input, output, back] = [new PassThrough(), new PassThrough(), new PassThrough(), new PassThrough()];
  const ears = listen(count, talk, chaos);
  const cut = () => {
    input.end();
    ears.hangUp();
  };
  disturb(there, input, chaos, cut);
  disturb(output, back, chaos, cut);
  createInterface(back).on("line", ears.hear);
  const serving = serve({ input, send: async (line) => void output.write(`${line}\n`) });
  for (const message of talk.messages) there.write(`${JSON.stringify(message)}\n`);
  const outcome = await ears.outcome();
  input.end();
  await serving;
  return outcome;
}

async function onSocket(place: Place, chaos: Chaos, protocol: string, count: number, talk: Talk): Promise<Outcome> {
  await using proxy = await startProxy(place.port, chaos);
  const socket = new WebSocket(`ws://127.0.0.1:${proxy.port}/ws`, [protocol, `bearer.${TOKEN}`]);
  const ears = listen(count, talk, chaos);
  socket.on("error", ears.hangUp);
  socket.on("close", ears.hangUp);
  socket.on("message", (data: Buffer) => ears.hear(data.toString()));
  socket.on("open", () => talk.messages.forEach((message) => socket.send(JSON.stringify(message))));
  const outcome = await ears.outcome();
  socket.terminate();
  return outcome;
}

async function overHttp(
  place: Place,
  chaos: Chaos,
  texts: readonly string[],
  call: (port: number, id: number, text: string, signal: AbortSignal) => Promise<string>,
): Promise<Outcome> {
  await using proxy = await startProxy(place.port, chaos);
  const answers = new Map<number, string>();
  let hungUp = false;
  const problems: string[] = [];
  const signal = AbortSignal.timeout(limitOf(chaos));
  await Promise.all(
    texts.map((text, at) =>
      call(proxy.port, at + 1, text, signal).then(
        (answer) => answers.set(at + 1, answer),
        // An error is an answer: it says that there is none.
        (error: Error) => {
          hungUp = true;
          problems.push(`${error}`);
        },
      ),
    ),
  );
  return { texts: answers, hungUp, problems };
}
