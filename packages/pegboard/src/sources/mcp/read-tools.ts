import type { Json, JsonSchema } from "@pegboard/contract";
import { exceeds } from "../../core/json.ts";
import { headerProblem } from "./param-headers.ts";
import type { Offers } from "./read-offers.ts";

/** A tool as a server describes it. Nothing of it is checked yet but its name. */
export interface McpTool {
  readonly name: string;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: unknown;
}

/** The tools of a server, and what of its answer was left out. */
export interface ReadTools {
  readonly tools: readonly McpTool[];
  readonly warnings: readonly string[];
}

/** All that a server lists. */
export interface Listing extends ReadTools {
  readonly offers: Offers;
}

/** One page of an answer, as it came. */
type Page = (cursor: string | undefined) => Promise<unknown>;

const MAX_PAGES = 100;
const MAX_TOOLS = 2_000;
/** Of one definition, and of all of them, in characters of JSON. */
const MAX_DEFINITION = 256 * 1024;
const MAX_ALL = 16 * 1024 * 1024;

/** Reads all pages of a list of tools, within limits. What a server sends beyond them is left out, with a warning. */
export async function readTools(page: Page): Promise<ReadTools> {
  const tools = new Map<string, McpTool>();
  const warnings: string[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  let left = MAX_ALL;
  for (let pages = 1; ; pages++) {
    const { tools: listed, nextCursor } = Object(await page(cursor)) as { tools?: unknown; nextCursor?: unknown };
    for (const value of Array.isArray(listed) ? (listed as unknown[]) : []) {
      const read = attempt(value);
      if (typeof read === "string") warnings.push(read);
      else if (tools.has(read.name))
        warnings.push(`tool ${quote(read.name)} is listed more than once: the first counts`);
      else if (tools.size >= MAX_TOOLS || (left -= sizeOf(read)) < 0) return enough(tools, warnings);
      else tools.set(read.name, read);
    }
    if (typeof nextCursor !== "string" || seen.has(nextCursor)) break;
    if (pages >= MAX_PAGES) return enough(tools, warnings);
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  return { tools: [...tools.values()], warnings: shorten(warnings) };
}

// What is nested too deeply to be looked at throws.
function attempt(value: unknown): McpTool | string {
  try {
    return readTool(value);
  } catch {
    return "a tool that cannot be read is left out";
  }
}

function readTool(value: unknown): McpTool | string {
  const { name, title, description, inputSchema, outputSchema, annotations } = Object(value) as Record<string, unknown>;
  if (typeof name !== "string" || name === "") return "a tool without a name is left out";
  if (exceeds(value as Json, MAX_DEFINITION))
    return `tool ${quote(name)} is left out: its definition is longer than ${MAX_DEFINITION} characters`;
  if (typeof inputSchema !== "object" || inputSchema === null || Array.isArray(inputSchema))
    return `tool ${quote(name)} is left out: its inputSchema is not a schema`;
  const problem = headerProblem(inputSchema as JsonSchema);
  if (problem !== undefined) return `tool ${quote(name)} is left out: ${problem}`;
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: inputSchema as JsonSchema,
    ...(typeof outputSchema === "object" && outputSchema !== null && { outputSchema: outputSchema as JsonSchema }),
    ...(annotations !== undefined && { annotations }),
  };
}

function enough(tools: ReadonlyMap<string, McpTool>, warnings: readonly string[]): ReadTools {
  const cut = `it lists more than fits: the first ${tools.size} tools count`;
  return { tools: [...tools.values()], warnings: shorten([cut, ...warnings]) };
}

function shorten(warnings: readonly string[]): readonly string[] {
  return warnings.length <= 10 ? warnings : [...warnings.slice(0, 10), `and ${warnings.length - 10} more`];
}

function sizeOf(tool: McpTool): number {
  return JSON.stringify(tool).length;
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 80));
}
