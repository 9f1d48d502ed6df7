import { type Contestant, measure, median, type Measured, ratio } from "./measure.ts";
import { type Report, toSize, toTime } from "./report.ts";
import { CLIENTS, type Driven, driveHttp, driveSocket, driveStdio, driveWithSdk } from "./serve/drive.ts";

/** How many of them are weighed. */
const CONNECTIONS = 200;

/**
 * A call of an MCP server by many clients at once, ten kilobytes back: a bare server of the SDK, and ours with everything
 * that a call goes through. Servers are processes of their own; the clients are the same for all.
 */
export async function serve(): Promise<Report> {
  const sdk = await driveHttp("sdk-server.ts");
  const gateway = await driveHttp("our-server.ts", "gateway", String(sdk.port));
  const sdkSocket = await driveSocket("sdk-server.ts", "socket");
  const ourSocket = await driveSocket("our-server.ts", "http");
  const driven: Readonly<Record<string, Driven>> = {
    "SDK 2, HTTP": sdk,
    "Pegboard, HTTP": await driveHttp("our-server.ts", "http"),
    "Pegboard, HTTP, 1,000 tools": await driveHttp("our-server.ts", "http", "1000"),
    "SDK's client, SDK 2": await driveWithSdk(sdk),
    "SDK's client, Pegboard, SDK 2": await driveWithSdk(gateway),
    "SDK 2, stdio": await driveStdio("sdk-server.ts", "stdio"),
    "Pegboard, stdio": await driveStdio("our-server.ts", "stdio"),
    "SDK 2, WebSocket": sdkSocket,
    "Pegboard, WebSocket": ourSocket,
  };
  const contestants: readonly Contestant[] = Object.entries(driven).map(([name, { round }]) => ({ name, run: round }));
  const measured = await measure(contestants, { rounds: 9, warmUpMs: 1_500, roundMs: 300 });
  const weight = { sdk: await sdkSocket.weigh(CONNECTIONS), ours: await ourSocket.weigh(CONNECTIONS) };
  for (const one of Object.values(driven).toReversed()) await one.close();
  await gateway.close();
  const of = (name: string): Measured => measured.find((one) => one.name === name)!;
  const toRate = (ns: number) => `${Math.round((CLIENTS * 1e9) / ns)}/s`;
  return {
    title: `serve: calls of an MCP server, ${CLIENTS} at once, 10 kB back`,
    table: [
      ["", "calls", "time of one round"],
      ...measured.map(({ name, ns }) => [name, toRate(median(ns)), toTime(median(ns))]),
    ],
    ratios: [
      { name: "time over HTTP / SDK", value: ratio(of("Pegboard, HTTP"), of("SDK 2, HTTP")), target: 1 / 1.5 },
      {
        name: "time with 1,000 tools / with one",
        value: ratio(of("Pegboard, HTTP, 1,000 tools"), of("Pegboard, HTTP")),
        target: 1.1,
      },
      {
        name: "time through us to the SDK / to the SDK",
        value: ratio(of("SDK's client, Pegboard, SDK 2"), of("SDK's client, SDK 2")),
        target: 1.5,
      },
      { name: "time over stdio / SDK", value: ratio(of("Pegboard, stdio"), of("SDK 2, stdio")), target: 1 / 0.9 },
      {
        name: "time over a WebSocket / SDK",
        value: ratio(of("Pegboard, WebSocket"), of("SDK 2, WebSocket")),
        target: 1 / 0.9,
      },
      { name: "heap of an idle connection / SDK", value: weight.ours / weight.sdk, target: 1 },
    ],
    notes: [`An idle WebSocket takes ${toSize(weight.ours)} of the heap, that of the SDK ${toSize(weight.sdk)}.`],
  };
}
