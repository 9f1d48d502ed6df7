import { measure, median, ratio, weigh } from "./measure.ts";
import { aiSdkPeer } from "./peers/ai-sdk.ts";
import { mcp1Peer } from "./peers/mcp-sdk-1.ts";
import { mcp2Peer } from "./peers/mcp-sdk-2.ts";
import { pegboardPeer } from "./peers/pegboard.ts";
import { toContestant } from "./peers/peer.ts";
import { rawPeer } from "./peers/raw.ts";
import { type Report, toSize, toTime } from "./report.ts";

/** One call of one tool, through everything that each has to offer. */
export async function call(): Promise<Report> {
  await using pegboard = pegboardPeer();
  await using mcpSdk2 = await mcp2Peer();
  await using mcpSdk1 = await mcp1Peer();
  const contestants = [
    await toContestant(pegboard),
    await toContestant(mcpSdk2),
    await toContestant(mcpSdk1),
    await toContestant(aiSdkPeer()),
    await toContestant(rawPeer()),
  ] as const;
  const measured = await measure(contestants);
  const [ours, mcp2, mcp1, aiSdk, raw] = measured;
  const rows: string[][] = [];
  for (const [place, { name, ns }] of measured.entries()) {
    const { allocated, kept } = await weigh(contestants[place]!);
    rows.push([name, toTime(median(ns)), toSize(allocated), toSize(kept)]);
  }
  return {
    title: "call: one call with a nested input of five fields, under a policy of twenty rules",
    table: [["", "time", "allocated", "kept"], ...rows],
    ratios: [
      { name: "pegboard / MCP SDK 2", value: ratio(ours, mcp2), target: 0.3 },
      { name: "pegboard / MCP SDK 1", value: ratio(ours, mcp1) },
      { name: "pegboard / AI SDK 7", value: ratio(ours, aiSdk) },
      { name: "pegboard / raw function", value: ratio(ours, raw) },
    ],
    notes: ["What Pegboard keeps is the log: three events a call. The runtime is made anew for each round."],
  };
}
