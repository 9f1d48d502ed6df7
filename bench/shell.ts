import { readFileSync } from "node:fs";
import { compileShellPolicy, decideCommand } from "../packages/pegboard/src/tools/shell/decide.ts";
import { measure, median } from "./measure.ts";
import { type Report, toTime } from "./report.ts";

const CORPUS = new URL("../packages/pegboard/test/corpora/shell-approvals.json", import.meta.url);

interface Case {
  readonly cmd?: string;
  readonly expect: "preApproved" | "ask" | "blocked";
}

/** How long a decision about a command takes, and how many a comparison of beginnings gets wrong. */
export async function shell(): Promise<Report> {
  const { cases } = JSON.parse(readFileSync(CORPUS, "utf8")) as { readonly cases: readonly Case[] };
  const texts = cases.flatMap(({ cmd }) => cmd ?? []);
  const policy = compileShellPolicy({
    default: "ask",
    rules: [
      { pattern: "git ", approval: "preApproved" },
      { pattern: "rm ", approval: "blocked" },
    ],
  });
  const [corpus, short, prefix] = await measure([
    { name: "a command of the corpus", run: (index) => decideCommand(texts[index % texts.length]!, policy) },
    { name: "git status", run: () => decideCommand("git status", policy) },
    { name: "comparing beginnings", run: (index) => isAllowedByPrefix(texts[index % texts.length]!) },
  ]);
  const attacks = cases.filter((one) => one.expect !== "preApproved" && one.cmd !== undefined);
  const ours = attacks.filter(({ cmd }) => decideCommand(cmd!, policy).decision === "preApproved").length;
  const naive = attacks.filter(({ cmd }) => isAllowedByPrefix(cmd!)).length;
  const perSecond = (ns: number) => String(Math.round(1e9 / ns));
  return {
    title: "shell: one decision about a command",
    table: [
      ["", "time", "a second"],
      ...[corpus, short, prefix].map(({ name, ns }) => [name, toTime(median(ns)), perSecond(median(ns))]),
    ],
    ratios: [
      { name: "a decision", value: median(corpus.ns) / 1e6, target: 1, unit: " ms" },
      { name: `attacks allowed, of ${attacks.length}`, value: ours, target: 0 },
      { name: `attacks allowed by comparing beginnings, of ${attacks.length}`, value: naive },
    ],
  };
}

function isAllowedByPrefix(text: string): boolean {
  return text.startsWith("git ");
}
