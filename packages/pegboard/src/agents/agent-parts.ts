import { parseYaml } from "../core/yaml.ts";
import { isAgentField } from "./agent-fields.ts";
import type { Field, Findings } from "./field.ts";
import type { AgentFormat } from "./foreign/draft.ts";
import { isRemoteList } from "./foreign/gemini.ts";
import { findSecondBlock, plainLines, type SplitFile, splitFile, type SplitProblem, TOO_LONG } from "./front-matter.ts";
import { readFrontMatter, type Rung } from "./front-matter-rungs.ts";
import { warnOfHiddenText } from "./hidden-text.ts";

/** The fields of an agent's file, and its text. */
export interface AgentParts {
  readonly fields: readonly Field[];
  readonly rung: Rung;
  /** Whose file it is, where only its fields as a whole tell. */
  readonly format?: AgentFormat;
  /** The line of the first `---`. */
  readonly line: number;
  readonly body: string;
  readonly bodyLine: number;
}

/** What is known of a file without a front matter: nothing, that its fields stand elsewhere, or that it is an agent. */
export type Bare = "nothing" | "described" | "agent";

/** Reads the two parts of a file. Never throws; what is wrong is told, and never gives the agent more tools. */
export function readParts(text: string, bare: Bare, findings: Findings): AgentParts {
  const split = splitFile(text);
  if (typeof split === "string") {
    const body = TOO_LONG[split] === undefined ? plainLines(text) : "";
    // A manifest can say all that a front matter would; what looks like a broken one may have said something else.
    if (split !== "none" || bare !== "described" || body.trimStart().startsWith("--"))
      reportUnsplit(split, bare, findings);
    warnOfHiddenText(body, "the text", 1, findings);
    return { fields: [], rung: "none", line: 1, body, bodyLine: 1 };
  }
  const { body, bodyLine } = split;
  const line = split.yamlLine - 1;
  if (split.fenced)
    findings.add("warning", {
      code: "front_matter_fenced",
      message: "the front matter is inside of a code block; it is read as if it were not",
      place: { line },
      fix: "remove the lines with ```",
    });
  const isRemote = split.yaml.trimStart().startsWith("- ") && refuseRemoteAgents(split, findings);
  const front = isRemote ? REMOTE : readFrontMatter(split, findings);
  const second = findSecondBlock(body, isAgentField);
  if (second !== undefined)
    findings.add("no-tools", {
      code: "front_matter_cut",
      message: "more fields stand below the line --- that ends the front matter: the agent gets no tools",
      place: { line: bodyLine },
      fix: `end the front matter at line ${bodyLine + second - 1} only`,
    });
  warnOfHiddenText(split.yaml, "the front matter", split.yamlLine, findings);
  warnOfHiddenText(body, "the text", bodyLine, findings);
  return { ...front, line, body, bodyLine };
}

function reportUnsplit(problem: SplitProblem, bare: Bare, findings: Findings): void {
  const place = { line: 1 };
  if (problem === "open") {
    const message = "the front matter has no line --- that ends it; the agent gets no tools";
    findings.add("no-tools", { code: "front_matter_open", message, place, fix: "add a line --- below the fields" });
  } else if (problem === "none") {
    const isAgent = bare === "agent";
    const message = isAgent
      ? "there is no front matter: the agent gets no tools"
      : "there is no front matter: the file must start with a line that is --- and nothing else";
    const fix = "start it with ---, then name: …, description: …, then ---";
    findings.add(isAgent ? "no-tools" : "no-agent", { code: "no_front_matter", message, place, fix });
  } else findings.add("no-agent", { code: "too_large", message: TOO_LONG[problem]!, place });
}

const REMOTE = { fields: [], rung: "strict", format: "gemini" } as const;

function refuseRemoteAgents({ yaml, yamlLine }: SplitFile, findings: Findings): boolean {
  const { value } = parseYaml(yaml, "");
  if (!isRemoteList(value)) return false;
  findings.add("no-agent", {
    code: "not_supported",
    message: `these agents run on other machines, which this version cannot ask: ${value
      .map(({ name }) => (typeof name === "string" ? name : "unnamed"))
      .join(", ")
      .slice(0, 400)}`,
    place: { line: yamlLine },
  });
  return true;
}
