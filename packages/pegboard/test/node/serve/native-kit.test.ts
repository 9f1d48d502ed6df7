import { once } from "node:events";
import { PassThrough } from "node:stream";
import { describe, test } from "vitest";
import { WebSocket } from "ws";
import { serveNativeLines, startServer } from "../../../src/node/index.ts";
import type { Runtime } from "../../../src/index.ts";
import { describeTransport, type TransportDoor } from "../../../src/testing/index.ts";
import { createClient } from "../../../src/client/index.ts";
import { toKitClient as toRemoteKitClient } from "../../client/kit-client.ts";
import { toKitClient } from "../../transports/native/kit-client.ts";
import { makeTalk, type Talk } from "../../transports/native/talk.ts";
import { TOKEN } from "./serving.ts";

const overWebSocket: TransportDoor["connect"] = async (runtime, approve) => {
  const server = await startServer(runtime, { token: TOKEN, port: 0 });
  const headers = { authorization: `Bearer ${TOKEN}` };
  const line = new WebSocket(`${server.url.replace("http", "ws")}/ws`, "pegboard", { headers });
  const talk = makeTalk({ send: (text) => line.send(text) });
  line.on("message", (data: Buffer) => talk.hear(data.toString()));
  await once(line, "open");
  await talk.until(({ type }) => type === "connected");
  return {
    ...toKitClient(talk, approve),
    async close() {
      line.terminate();
      await server.close(AbortSignal.abort());
    },
  };
};

const overHttp: TransportDoor["connect"] = async (runtime, approve) => {
  const server = await startServer(runtime, { token: TOKEN, port: 0 });
  const client = createClient({ url: server.url, token: TOKEN });
  return {
    ...toRemoteKitClient(client, await client.open(), approve),
    close: () => server.close(AbortSignal.abort()),
  };
};

const overLines: TransportDoor["connect"] = async (runtime, approve) => {
  const input = new PassThrough();
  const talk: Talk = makeTalk({ send: (text) => void input.write(`${text}\n`) });
  const serving = serveNativeLines(runtime as Runtime, { input, send: async (line) => talk.hear(line) });
  return {
    ...toKitClient(talk, approve),
    async close() {
      input.end();
      await serving;
    },
  };
};

describeTransport("our own protocol over WebSockets", { connect: overWebSocket }, { describe, test });
describeTransport("our own protocol over standard streams", { connect: overLines }, { describe, test });
describeTransport("our own protocol over HTTP, at a port", { connect: overHttp }, { describe, test });
