import { describe, test } from "vitest";
import { describeTransport, type TransportDoor } from "../../../src/testing/index.ts";
import { createDesk } from "../../../src/transports/desk.ts";
import { serveSocket } from "../../../src/transports/native/connection.ts";
import { createNative } from "../../../src/transports/native/native.ts";
import { toKitClient } from "./kit-client.ts";
import { makeTalk } from "./talk.ts";

const connect: TransportDoor["connect"] = async (runtime, approve) => {
  const desk = createDesk(runtime);
  const talk = makeTalk();
  void serveSocket(talk.socket, { native: createNative(desk), principal: { id: "ann" }, greets: true });
  await talk.until(({ type }) => type === "connected");
  return { ...toKitClient(talk, approve), close: () => desk.close(AbortSignal.abort()) };
};

describeTransport("our own protocol over a socket", { connect }, { describe, test });
