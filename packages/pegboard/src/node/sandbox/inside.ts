import { Socket } from "node:net";
import { isMainThread, parentPort } from "node:worker_threads";
import { messageOf } from "../../core/error.ts";
import { surviveLateErrors } from "../guard.ts";
import { createFrameReader, toFrame } from "./frames.ts";
import { forbidKilling } from "./forbid-killing.ts";
import { createToolServer } from "./tool-server.ts";
import type { ToInside } from "./protocol.ts";

/** Makes this the inside of a process or thread for tools: answers requests until the outside is gone. */
export function serveInside(): void {
  forbidKilling();
  surviveLateErrors((error) =>
    console.error(`a tool failed outside of its call: ${messageOf(error).replaceAll("\n", "\\n")}`),
  );
  if (isMainThread) serveProcess();
  else serveThread();
}

function serveProcess(): void {
  const line = new Socket({ fd: 3 });
  const write = line.write.bind(line);
  const { exit } = process;
  const receive = createToolServer({
    send(message) {
      const frame = toFrame(message);
      if (frame) write(frame);
      return frame !== undefined;
    },
    hold: (yes) => (yes ? line.ref() : line.unref()),
  });
  line.on(
    "data",
    createFrameReader((message) => receive(message as ToInside)),
  );
  line.on("error", () => exit(0));
  line.on("end", () => exit(0));
}

function serveThread(): void {
  const port = parentPort!;
  const post = port.postMessage.bind(port);
  const receive = createToolServer({
    send(message) {
      post(message);
      return true;
    },
    hold: (yes) => (yes ? port.ref() : port.unref()),
  });
  port.on("message", (message: ToInside | { readonly type: "end" }) => {
    if (message.type === "end") process.exit(0);
    receive(message);
  });
}
