import { createRuntime } from "pegboard";
import { TOOLS, toPlugins } from "./many-plugins.ts";
import { type Contestant, measure, median, ratio } from "./measure.ts";
import { weigh } from "./memory.ts";
import { type Report, toSize, toTime } from "./report.ts";

const FEW = 10;
const MANY = 500;

/** What many plugins weigh, and what one more costs beside few and beside many. */
export async function plugins(): Promise<Report> {
  const { heap, rss } = weigh("plugins");
  const [few, many] = await measure([await beside(FEW, 200), await beside(MANY, 200)]);
  const [sameFew, sameMany] = await measure([await beside(FEW, 1), await beside(MANY, 1)]);
  return {
    title: `plugins: with ${TOOLS} tools, an agent and a hook each`,
    table: [
      ["", `beside ${FEW}`, `beside ${MANY}`],
      ["one of 200 in turn enabled and disabled", toTime(median(few.ns)), toTime(median(many.ns))],
      ["the same one again and again", toTime(median(sameFew.ns)), toTime(median(sameMany.ns))],
    ],
    ratios: [
      {
        name: `${MANY} plugins with ${MANY * TOOLS} tools, the larger of heap and RSS`,
        value: Math.max(heap, rss) / 1e6,
        target: 200,
        unit: " MB",
      },
      { name: `one of 200 in turn, beside ${MANY} / beside ${FEW}`, value: ratio(many, few), target: 1.3 },
      { name: `the same one again and again, beside ${MANY} / beside ${FEW}`, value: ratio(sameMany, sameFew) },
    ],
    notes: [
      `${MANY} plugins: ${toSize(heap)} of heap, ${toSize(rss)} of RSS.`,
      "A Map keeps what was deleted in its chains until it grows: names that come and go often are found more slowly in a large one.",
    ],
  };
}

async function beside(count: number, others: number): Promise<Contestant> {
  const runtime = createRuntime();
  await runtime.plugins.add(...toPlugins(count));
  const entries = toPlugins(others, count).map((entry) => ({ ...entry, disabled: "not yet" }));
  await runtime.plugins.add(...entries);
  return {
    name: `beside ${count}`,
    async run(index) {
      const { name } = entries[index % others]!.plugin;
      await runtime.plugins.enable(name);
      await runtime.plugins.disable(name);
    },
  };
}
