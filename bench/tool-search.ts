import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createRuntime,
  type ModelRequest,
  Registry,
  scriptedModel,
  type Turn,
} from "../packages/pegboard/src/index.ts";
import type { Report } from "./report.ts";
import { hangServers, installServers } from "./tool-search/hang-servers.ts";
import { keywordOverlap, plainBm25, type Ranking } from "./tool-search/peers.ts";
import { SERVERS } from "./tool-search/servers.ts";

/** Something that people want, and the tools of which any does it. */
interface Question {
  readonly query: string;
  readonly tools: readonly string[];
}

/** What an agent found for a question, and how many tokens its definitions took. */
interface Found {
  readonly names: readonly string[];
  readonly tokens: number;
}

type Told = ModelRequest["tools"];

const MOST = 5;

/** How often an agent finds the tool that it needs among hundreds of real ones, and what being told of them takes. */
export async function toolSearch(): Promise<Report> {
  const { before, after } = await readQuestions();
  const questions = [...before, ...after];
  const board = new Registry();
  await hangAll(board);
  const all = await tellAll(board);
  const missing = questions.flatMap(({ tools }) => tools).filter((name) => !board.get(name));
  if (missing.length > 0) throw new Error(`There are no such tools: ${missing.join(", ")}`);
  const found = await findAll(board, questions);
  const tokens = found.reduce((sum, one) => sum + one.tokens, 0) / found.length;
  const rankings: readonly (readonly [name: string, ranking: Ranking])[] = [
    ["Pegboard, in a run", (query) => found[questions.findIndex((one) => one.query === query)]!.names],
    ["BM25 on plain words", plainBm25(all)],
    ["keywords in common", keywordOverlap(all)],
  ];
  const groups = [before.filter(isTuned), before.filter((one) => !isTuned(one)), after, questions];
  const missed = rankings.map(([, ranking]) => groups.map((group) => missesOf(group, ranking) / group.length));
  return {
    title: `search: ${questions.length} questions for ${all.length} tools of ${SERVERS.length} MCP servers`,
    table: [
      [`missed among the first ${MOST}`, "tuned half", "other half", "later", "all"],
      ...rankings.map(([name], at) => [name, ...missed[at]!.map((share) => share.toFixed(3))]),
    ],
    ratios: [
      { name: "missed by Pegboard", value: missed[0]![3]!, target: 0.1 },
      { name: "missed by Pegboard, other half", value: missed[0]![1]!, target: 0.1 },
      { name: "missed by Pegboard, later", value: missed[0]![2]!, target: 0.1 },
      { name: "tokens told / tokens of all", value: tokens / costOf(all), target: 0.15 },
    ],
    notes: [
      "Words and weights were chosen by the misses of the tuned half alone; the later questions were written afterwards.",
    ],
  };
}

/** The questions that were there before words and weights were chosen, and those that were written after. */
async function readQuestions(): Promise<Readonly<Record<"before" | "after", readonly Question[]>>> {
  const text = await readFile(new URL("./tool-search/queries.json", import.meta.url), "utf8");
  return JSON.parse(text) as Record<"before" | "after", Question[]>;
}

/** By chance, and the same for ever. */
function isTuned({ query }: Question): boolean {
  return createHash("sha256").update(query).digest()[0]! % 2 === 0;
}

async function hangAll(board: Registry): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "pegboard-servers-"));
  try {
    await installServers(folder);
    await hangServers(board, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Asks each question in a run of its own: a model that searches once, and is told of what was found. */
async function findAll(registry: Registry, questions: readonly Question[]): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const { query } of questions) {
    const [before, after] = await toldIn(registry, [{ calls: [{ tool: "tool_search", input: { query } }] }, "Done."]);
    const known = new Set(before!.map(({ name }) => name));
    const names = after!.flatMap(({ name }) => (known.has(name) ? [] : name));
    found.push({ names, tokens: costOf(after!) });
  }
  return found;
}

/** What a model is told of that does not have to search. */
async function tellAll(registry: Registry): Promise<Told> {
  const [all] = await toldIn(registry, ["Done."], { toolTokens: 100_000_000 });
  return all!;
}

/** The tools that a model is told of in each turn of a run. */
async function toldIn(registry: Registry, turns: readonly Turn[], limits = {}): Promise<readonly Told[]> {
  const model = scriptedModel(turns);
  const runtime = createRuntime({ registry, model, limits });
  const { status, error } = await runtime.open().run("assistant", "Do it").result;
  await runtime.close();
  if (status !== "completed") throw new Error(error?.message);
  return model.requests.map(({ tools }) => tools);
}

function missesOf(questions: readonly Question[], ranking: Ranking): number {
  const isFound = ({ query, tools }: Question) =>
    ranking(query)
      .slice(0, MOST)
      .some((name) => tools.includes(name));
  return questions.filter((question) => !isFound(question)).length;
}

/** About one token for four characters. */
function costOf(tools: Told): number {
  return tools.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0) / 4;
}
