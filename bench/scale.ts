import { type Measured, measure, median, ratio } from "./measure.ts";
import { aiSdkPeer } from "./peers/ai-sdk.ts";
import { mcp2Peer } from "./peers/mcp-sdk-2.ts";
import { pegboardPeer } from "./peers/pegboard.ts";
import { type Peer, toContestant } from "./peers/peer.ts";
import { type Report, toTime } from "./report.ts";

const SIZES = [10, 100, 1_000, 10_000] as const;

/** As many as there are in the smallest size, so that the sizes differ in nothing but the tools beside them. */
const CALLED = 10;

/** What a call costs when more and more tools hang beside the one that is called. */
export async function scale(): Promise<Report> {
  const rows = [await measureSizes(pegboardPeer), await measureSizes(mcp2Peer), await measureSizes(aiSdkPeer)];
  return {
    title: `scale: the same call with more and more tools, of which ${CALLED} are called in turn`,
    table: [
      ["tools", ...SIZES.map((size) => size.toLocaleString("en"))],
      ...rows.map((sizes) => [sizes[0].name, ...sizes.map(({ ns }) => toTime(median(ns)))]),
    ],
    ratios: rows.map(([smallest, , , largest], place) => ({
      name: `${smallest.name}, 10,000 tools / 10 tools`,
      value: ratio(largest, smallest),
      ...(place === 0 && { target: 1.3 }),
    })),
  };
}

async function measureSizes(
  open: (tools: number) => Peer | Promise<Peer>,
): Promise<[Measured, Measured, Measured, Measured]> {
  await using peers = new AsyncDisposableStack();
  const contestant = async (size: number) => {
    const called = Array.from({ length: CALLED }, (_, index) => Math.floor((index * size) / CALLED));
    return toContestant(peers.use(await open(size)), called);
  };
  const [ten, hundred, thousand, tenThousand] = SIZES;
  const contestants = [
    await contestant(ten),
    await contestant(hundred),
    await contestant(thousand),
    await contestant(tenThousand),
  ] as const;
  return [...(await measure(contestants, { warmUpMs: 300 }))];
}
