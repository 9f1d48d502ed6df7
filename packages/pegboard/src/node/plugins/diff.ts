import type { Definitions, PluginContents } from "./contents.ts";

/** One thing that would come, go, or be another. */
export interface PluginChange {
  readonly change: "added" | "removed" | "changed";
  readonly kind:
    | "tool"
    | "agent"
    | "skill"
    | "command"
    | "MCP server"
    | "prompt"
    | "resource"
    | "hook"
    | "dependency"
    | "script"
    | "code"
    | "version";
  readonly name: string;
  /** What people should see of it besides its name. */
  readonly note?: string;
}

/** What a plugin brings that is not there. */
export const NO_CONTENTS: PluginContents = {
  version: "",
  format: "",
  digest: "",
  tools: {},
  agents: {},
  skills: {},
  commands: {},
  mcpServers: {},
  prompts: {},
  resources: {},
  hooks: {},
  dependencies: {},
  scripts: {},
};

const KINDS = [
  ["tools", "tool"],
  ["agents", "agent"],
  ["skills", "skill"],
  ["commands", "command"],
  ["mcpServers", "MCP server"],
  ["prompts", "prompt"],
  ["resources", "resource"],
  ["hooks", "hook"],
] as const satisfies readonly (readonly [keyof Definitions, PluginChange["kind"]])[];

const WISHES = [
  ["dependencies", "dependency"],
  ["scripts", "script"],
] as const satisfies readonly (readonly [keyof PluginContents, PluginChange["kind"]])[];

/**
 * What would be another with these contents in place of those; without those, everything is new. What code brings is not
 * compared with what it brought: it shows when it runs.
 */
export function diffContents(before: PluginContents | undefined, after: PluginContents): readonly PluginChange[] {
  const kinds = after.code === undefined ? [...KINDS, ...WISHES] : WISHES;
  const changes = kinds.flatMap(([key, kind]) =>
    diffRecords(before?.[key] ?? {}, after[key]).map(([name, change]): PluginChange => {
      const note = noteOf(kind, name, { before: before?.[key] ?? {}, after: after[key] });
      return { change, kind, name, ...(note !== undefined && { note }) };
    }),
  );
  return [...diffVersion(before, after), ...diffCode(before, after), ...changes];
}

/** What a plugin brings now that it did not, and the other way round; what is absent is not compared. */
export function diffDefinitions(before: Definitions, after: Partial<Definitions>): readonly PluginChange[] {
  return KINDS.flatMap(([key, kind]) =>
    diffRecords(before[key], after[key] ?? before[key]).map(([name, change]) => ({ change, kind, name })),
  );
}

function diffRecords(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): (readonly [name: string, change: PluginChange["change"]])[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name): (readonly [string, PluginChange["change"]])[] => {
    if (!Object.hasOwn(before, name)) return [[name, "added"]];
    if (!Object.hasOwn(after, name)) return [[name, "removed"]];
    return before[name] === after[name] ? [] : [[name, "changed"]];
  });
}

type Records = Readonly<Record<"before" | "after", Readonly<Record<string, string>>>>;

function noteOf(kind: PluginChange["kind"], name: string, { before, after }: Records): string | undefined {
  if (kind === "script") return `not run: ${after[name] ?? before[name]}`;
  if (kind === "hook" && Object.hasOwn(after, name)) return "of another program: not run";
  if (kind !== "dependency") return undefined;
  return [before[name], after[name]].filter((range) => range !== undefined).join(" → ");
}

function diffVersion(before: PluginContents | undefined, after: PluginContents): PluginChange[] {
  const isKnown = after !== NO_CONTENTS && after.code === undefined;
  if (!before || !isKnown || before.version === after.version) return [];
  return [{ change: "changed", kind: "version", name: `${before.version} → ${after.version}` }];
}

/** Whether files have changed that are the definition of nothing is told too: they may be what a tool runs. */
function diffCode(before: PluginContents | undefined, after: PluginContents): PluginChange[] {
  if (after === NO_CONTENTS)
    return before?.code === undefined ? [] : [{ change: "removed", kind: "code", name: before.code }];
  if (!before && after.code === undefined) return [];
  if (before?.digest === after.digest) return [];
  const change = before ? "changed" : "added";
  const name = after.code ?? "files";
  return [
    { change, kind: "code", name, ...(after.code !== undefined && { note: "its tools and hooks show when it runs" }) },
  ];
}
