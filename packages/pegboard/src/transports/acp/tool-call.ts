import type { ToolCall, ToolCallContent, ToolKind } from "@agentclientprotocol/sdk";
import type { Capability, Content, Json } from "@pegboard/contract";
import type { LoggedResult } from "../../core/event.ts";
import type { AnyTool, Registration } from "../../core/registry.ts";
import { visible } from "../visible.ts";
import { toMadeDiffs, toProposedDiffs } from "./diff.ts";

/** What is known of the tools that calls name. */
export interface KnownTools {
  find(name: string): Registration | undefined;
  /** The absolute path that a tool means by a path of its input; undefined when that is no file of the machine. */
  realPath(tool: AnyTool, path: string): string | undefined;
}

/** A call as clients show it, before anything has become of it. */
export type ShownCall = Pick<ToolCall, "title" | "name" | "kind"> & Partial<Pick<ToolCall, "locations">>;

/** A call as clients show it. The input may be anything: it is not checked yet. */
export function toShownCall(tool: string, input: Json, tools: KnownTools): ShownCall {
  const found = tools.find(tool);
  const path = pathOf(tool, input, tools);
  return {
    title: titleOf(tool, input),
    name: tool,
    kind: found ? kindOf(tool, found.tool.capabilities ?? []) : "other",
    ...(path !== undefined && { locations: [{ path }] }),
  };
}

/** What a call would change, for whoever is asked about it. */
export function toProposal(tool: string, input: Json, tools: KnownTools): ToolCallContent[] {
  const path = pathOf(tool, input, tools);
  return path === undefined ? [] : toProposedDiffs(path, input);
}

/** What came of a call: what it changed in a file, or else what the model reads. */
export function toShownResult(tool: string, result: LoggedResult, tools: KnownTools): ToolCallContent[] {
  if ("cut" in result) return [toText(`${result.preview}\n… (${result.characters} characters)`)];
  const { path, diff } = Object(result.structured) as { path?: unknown; diff?: unknown };
  const real = result.meta.kind === "diff" && typeof path === "string" ? pathOf(tool, { path }, tools) : undefined;
  if (real !== undefined && typeof diff === "string" && diff !== "") return toMadeDiffs(real, diff);
  return toShownContent(result.content);
}

/** What the model reads, as clients show it. */
export function toShownContent(content: readonly Content[]): ToolCallContent[] {
  return content.map((block) => {
    if (block.type !== "resource") return { type: "content", content: block };
    const { uri, text, blob, mimeType } = block.resource;
    const more = mimeType === undefined ? {} : { mimeType };
    if (text !== undefined) return { type: "content", content: { type: "resource", resource: { uri, text, ...more } } };
    if (blob !== undefined) return { type: "content", content: { type: "resource", resource: { uri, blob, ...more } } };
    return { type: "content", content: { type: "resource_link", uri, name: uri, ...more } };
  });
}

/** Words beside what a call is shown with. */
export function toText(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

function pathOf(tool: string, input: Json, { find, realPath }: KnownTools): string | undefined {
  const { path } = Object(input) as { path?: unknown };
  const found = find(tool);
  return found && typeof path === "string" ? realPath(found.tool, path) : undefined;
}

const LONGEST = 100;

/** The tool and the first words of its input, in a line. */
function titleOf(tool: string, input: Json): string {
  const first = Object.values(Object(input) as object).find((value) => typeof value === "string" && value !== "");
  const words = visible(String(first ?? "").replaceAll(/\s+/g, " "));
  const shown = words.length > LONGEST ? `${words.slice(0, LONGEST)}…` : words;
  return shown === "" ? visible(tool) : `${visible(tool)}: ${shown}`;
}

const BY_NAME: readonly (readonly [RegExp, ToolKind])[] = [
  [/(^|_)(delete|remove)/, "delete"],
  [/(^|_)(move|rename)/, "move"],
  [/(^|_)(write|edit)/, "edit"],
  [/(^|_)(search|find|grep|glob)/, "search"],
];

// The first that a tool can do says more about it than those behind.
const BY_CAPABILITY: readonly (readonly [Capability, ToolKind])[] = [
  ["process", "execute"],
  ["network", "fetch"],
  ["write", "edit"],
  ["read", "read"],
  ["state", "read"],
];

function kindOf(name: string, capabilities: readonly Capability[]): ToolKind {
  const [, kind = "other"] = BY_CAPABILITY.find(([capability]) => capabilities.includes(capability)) ?? [];
  if (kind !== "edit" && kind !== "read") return kind;
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? kind;
}
