import type { SessionView, ToolInstance } from "@pegboard/contract";
import { messageOf, PegboardError } from "../core/error.ts";
import type { AnyTool } from "../core/registry.ts";
import { fromModule, isTool, type ModuleTools } from "../sources/module.ts";
import type { Placed, ToolsetEntry } from "./config-file.ts";
import { importFile, importPackage } from "./load-module.ts";
import { fromFile } from "./places.ts";

/** Where toolsets are looked for. */
export interface ToolsetPlaces {
  readonly workspace: string;
  readonly packages: string;
}

/**
 * Loads one entry of `toolsets`. A toolset that a call makes is made once a session, unless it is shared: the first
 * session takes the one that was made to learn its tools. Rejects when the toolset as a whole cannot be had.
 */
export async function loadToolset(
  key: string,
  placed: Placed<ToolsetEntry>,
  places: ToolsetPlaces,
): Promise<ModuleTools> {
  const { entry, file } = placed;
  const exports =
    entry.module === undefined
      ? await importPackage(entry.package!, places.workspace, places.packages)
      : await importFile(fromFile(file, entry.module));
  const make = () => makeToolset(key, entry, exports);
  const first = await make();
  const loaded = await fromModule(first.exports, entry.tools ?? first.names);
  if (loaded.tools.length + loaded.problems.length === 0)
    throw new PegboardError("invalid_definition", `${describe(entry)} holds no tools`);
  if (entry.call === undefined || entry.shared) return loaded;
  return { ...loaded, tools: toSessionTools(loaded.tools, first, make) };
}

interface Made {
  readonly exports: Readonly<Record<string, unknown>>;
  /** The exports that must be tools; absent is all that are. */
  readonly names?: readonly string[];
  dispose(): Promise<void>;
}

async function makeToolset(
  key: string,
  entry: ToolsetEntry,
  exports: Readonly<Record<string, unknown>>,
): Promise<Made> {
  const picked = pick(entry.import, exports);
  const made = entry.call === undefined ? picked : await construct(key, entry, picked);
  const selected = entry.select === undefined ? made : select(entry.select, made);
  if (isTool(selected)) return toMade({ [singleName(key, entry, selected)]: selected }, made);
  if (typeof selected === "object" && selected !== null) return toMade(named(selected), made);
  if (typeof selected === "function" && entry.import !== undefined && Object.hasOwn(exports, `${entry.import}Schema`)) {
    return { ...toMade(exports, made), names: [entry.import] };
  }
  throw new PegboardError(
    "invalid_definition",
    `${describe(entry)} gives a ${typeof selected}, not tools. If it is a function that makes them, add: call: []`,
  );
}

function pick(name: string | undefined, exports: Readonly<Record<string, unknown>>): unknown {
  if (name === undefined)
    return typeof exports["default"] === "object" || typeof exports["default"] === "function"
      ? exports["default"]
      : exports;
  if (Object.hasOwn(exports, name)) return exports[name];
  throw new PegboardError(
    "invalid_definition",
    `There is no export named "${name}"; available: ${Object.keys(exports).join(", ") || "none"}`,
  );
}

async function construct(key: string, entry: ToolsetEntry, make: unknown): Promise<unknown> {
  if (typeof make !== "function")
    throw new PegboardError("invalid_definition", `${describe(entry)} is no function: leave out call`);
  try {
    return await (make as (...args: readonly unknown[]) => unknown)(...structuredClone(entry.call ?? []));
  } catch (error) {
    throw new PegboardError(
      "unavailable",
      `The toolset "${key}" could not be made by ${describe(entry)}: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

function select(path: string, from: unknown): unknown {
  return path.split(".").reduce<unknown>((value, part) => {
    if (typeof value === "object" && value !== null && part in value) return (value as Record<string, unknown>)[part];
    const keys = typeof value === "object" && value !== null ? Object.keys(value).join(", ") : "";
    throw new PegboardError("invalid_definition", `select: there is no "${part}"; available: ${keys || "none"}`);
  }, from);
}

// A list of tools that carry their names, or an object from names to tools.
function named(selected: object): Record<string, unknown> {
  if (!Array.isArray(selected)) return { ...selected };
  return Object.fromEntries(
    selected.map((tool: { name?: unknown }, index) => [
      typeof tool?.name === "string" ? tool.name : `tool${index + 1}`,
      tool,
    ]),
  );
}

// One tool is called what it calls itself, else what is imported, in the words of a tool.
function singleName(key: string, { import: exported, tools }: ToolsetEntry, tool: unknown): string {
  const { name } = tool as { name?: unknown };
  if (tools?.length === 1) return tools[0]!;
  return typeof name === "string" && name !== "" ? name : (exported ?? key);
}

function toMade(exports: Readonly<Record<string, unknown>>, made: unknown): Made {
  const owner = Object(made) as Partial<Disposable & AsyncDisposable>;
  return { exports, dispose: async () => owner[Symbol.asyncDispose]?.() ?? owner[Symbol.dispose]?.() };
}

// All tools of one toolset share one session's making of it; the last one that is disposed takes it down.
function toSessionTools(tools: readonly AnyTool[], first: Made, make: () => Promise<Made>): AnyTool[] {
  let spare: Made | undefined = first;
  const toolsets = new Map<
    string,
    { readonly made: Promise<Made>; readonly tools: Promise<readonly AnyTool[]>; users: number }
  >();

  function enter(session: SessionView) {
    let toolset = toolsets.get(session.id);
    if (!toolset) {
      const made = spare ? Promise.resolve(spare) : make();
      spare = undefined;
      toolset = {
        made,
        tools: made.then(async ({ exports, names }) => (await fromModule(exports, names)).tools),
        users: 0,
      };
      toolsets.set(session.id, toolset);
    }
    toolset.users++;
    return toolset;
  }

  async function leave(session: SessionView): Promise<void> {
    const toolset = toolsets.get(session.id);
    if (!toolset || --toolset.users > 0) return;
    toolsets.delete(session.id);
    await (await toolset.made).dispose();
  }

  async function open(name: string, session: SessionView): Promise<ToolInstance> {
    try {
      const tool = (await enter(session).tools).find((candidate) => candidate.name === name);
      if (!tool || !("execute" in tool))
        throw new PegboardError("unavailable", `This session's toolset has no tool "${name}"`);
      return { execute: (input, context) => tool.execute(input, context), [Symbol.asyncDispose]: () => leave(session) };
    } catch (error) {
      await leave(session).catch(() => {});
      throw error;
    }
  }

  return tools.map((tool) => {
    if (!("execute" in tool)) return tool;
    const { execute: _, ...definition } = tool;
    return { ...definition, open: (session) => open(tool.name, session) };
  });
}

function describe({ package: name, module: file, import: exported }: ToolsetEntry): string {
  return `${exported === undefined ? "the default export" : `the export "${exported}"`} of ${name ?? file}`;
}
