import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** Something that listens, until it is closed. */
export interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Passes everything on to a server of ours, with the token that it wants to see: the suite knows no tokens, and ours are
 * never off. Nothing else is changed.
 */
export async function createFront(port: number, token: string): Promise<Listening> {
  const front = createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${token}` };
    const { method = "GET", url: path = "/" } = asked;
    const passed = request({ host: "127.0.0.1", port, method, path, headers }, (given) => {
      answer.writeHead(given.statusCode!, given.headers);
      given.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    // Whoever goes away must be seen to go away.
    answer.on("close", () => passed.destroy());
    asked.pipe(passed);
  });
  front.listen(0, "127.0.0.1");
  await once(front, "listening");
  return {
    url: `http://localhost:${(front.address() as AddressInfo).port}/mcp`,
    async close() {
      const closed = once(front, "close");
      front.close();
      front.closeAllConnections();
      await closed;
    },
  };
}
