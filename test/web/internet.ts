import { readFileSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Answers, serveNames } from "./name-server.ts";
import { NAME_SERVER } from "./namespace.ts";

/** What reached an address that is not one of the internet's. */
export interface Reached {
  readonly address: string;
  readonly port: number;
  bytes: number;
}

const PUBLIC = ["93.184.216.34", "2606:2800:220:1::1"];
const FIRST = PUBLIC.slice(0, 1);

const NAMES: Readonly<Record<string, Answers>> = {
  "public.test": PUBLIC,
  "a-loop.test": ["127.0.0.1"],
  "aaaa-loop.test": ["::1"],
  "a-meta.test": ["169.254.169.254"],
  "cname-loop.test": ["127.0.0.1"],
  "127.0.0.1.nip.test": ["127.0.0.1"],
  "mixed.test": [...FIRST, "10.0.0.5"],
  "mixed-first.test": ["192.168.1.1", ...FIRST],
  "mixed6.test": [...FIRST, "fd00::5"],
  "kubernetes.default.svc": ["10.96.0.1"],
  "host.docker.internal": ["172.17.0.1"],
  intranet: ["10.0.0.5"],
  // At every question the other one.
  "rebind0.test": (asked) => (asked % 2 === 0 ? FIRST : ["127.0.0.1"]),
  // Public for the first question, private from then on.
  "rebind1.test": (asked) => (asked === 0 ? FIRST : ["192.168.1.1"]),
  // Public for as long as it is being looked at, private when somebody would connect.
  "rebind2.test": (asked) => (asked < 2 ? FIRST : ["192.168.1.1"]),
  "rebind2-secure.test": (asked) => (asked < 2 ? FIRST : ["192.168.1.1"]),
};

const answer: RequestListener = ({ url, headers }, response) => {
  const { pathname, searchParams } = new URL(url!, "http://public.test");
  const to = searchParams.get("to");
  if (to !== null) response.writeHead(Number(pathname.split("/")[2]), { location: to }).end();
  else if (pathname === "/refresh")
    response
      .writeHead(200, { "content-type": "text/html" })
      .end(`<meta http-equiv="refresh" content="0; url=http://127.0.0.1/">PUBLIC`);
  else response.writeHead(200, { "content-type": "text/plain" }).end(`PUBLIC ${headers.host}`);
};

const folder = process.env["PEGBOARD_TEST_CERTIFICATE"]!;
const http = createHttpServer(answer);
const https = createHttpsServer(
  { key: readFileSync(join(folder, "key.pem")), cert: readFileSync(join(folder, "cert.pem")) },
  answer,
);
const reached: Reached[] = [];

function receive(socket: Socket, port: number): void {
  const address = socket.localAddress!.replace(/^::ffff:/, "");
  socket.on("error", () => {});
  if (PUBLIC.includes(address)) return void (port === 443 ? https : http).emit("connection", socket);
  const entry: Reached = { address, port, bytes: 0 };
  reached.push(entry);
  socket.on("data", (chunk) => {
    entry.bytes += chunk.length;
    socket.end("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 13\r\n\r\nINTERNAL-LEAK");
  });
}

for (const port of [25, 80, 443, 3128, 6379, 8080, 8443]) {
  await new Promise<void>((resolve) => createServer((socket) => receive(socket, port)).listen(port, "::", resolve));
}
await serveNames(NAME_SERVER, NAMES);

// Each line asks what has reached a wrong address since the last one.
for await (const _ of createInterface({ input: process.stdin })) console.log(JSON.stringify(reached.splice(0)));
