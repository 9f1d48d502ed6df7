import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, extname, join } from "node:path";
import type { Diagnostic } from "../core/diagnostic.ts";
import { messageOf } from "../core/error.ts";
import type { RegisterOptions } from "../core/registry.ts";
import { resolveSecrets, type SecretDeps } from "../core/secret.ts";
import type { ShellRule } from "../tools/shell/rules.ts";
import type { Config, HostCommandEntry, HostModuleEntry, Placed } from "./config-file.ts";
import type { ToolsetPlaces } from "./load-toolset.ts";
import { type McpPlaces, mcpSources } from "./mcp/mcp-sources.ts";
import { fromFile } from "./places.ts";
import type { CodeSource } from "./sandbox/code-source.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import { changedError, sealFiles } from "./sandbox/seal.ts";
import { stamp } from "./stamp.ts";
import { statOf } from "./stat-of.ts";
import type { LoadedSource, WorkspaceSource } from "./workspace-source.ts";

/** Where sources are looked for, and what they are made with. */
export interface SourcePlaces extends ToolsetPlaces, SecretDeps, McpPlaces {
  /** What the file tools never change without asking, besides what is loaded from the workspace. */
  readonly protect?: readonly string[];
  /** The person's own rules for commands: they come before those of the workspace. */
  readonly shellRules?: readonly ShellRule[];
}

/** Everything in a workspace that yields tools: its toolsets, host tools, MCP servers and `tools` folder. Only reads. */
export function listSources(configs: readonly Config[], places: SourcePlaces): WorkspaceSource[] {
  const named = configs.flatMap((config) => [
    ...toolsetSources(config, places),
    ...hostToolSources(config, places),
    ...mcpSources(config, places),
  ]);
  const taken = new Set(named.flatMap(({ files }) => files));
  const sources = [
    ...named,
    ...fileSources(join(places.workspace, "tools"), places).filter(
      ({ files }) => !files.some((file) => taken.has(file)),
    ),
  ];
  return [
    ...configs.flatMap((config) => [...filesystemSources(config, places, [...taken]), ...shellSources(config, places)]),
    ...sources,
  ];
}

// What a configuration does not name is not loaded: every start would pay for it otherwise.
const filesToolset = () => import("./files/filesystem.ts");
const shellToolset = () => import("./shell/shell.ts");
const commandTools = () => import("./command-tool.ts");

/** What git reads of the person's own settings: without a name it does not commit. */
const GIT_SETTINGS = [".gitconfig", ".config/git"];

function shellSources({ shell }: Config, { workspace, shellRules = [] }: SourcePlaces): WorkspaceSource[] {
  if (!shell) return [];
  const { entry, file, line } = shell;
  const settings = { ...entry, rules: [...shellRules, ...entry.rules] };
  const allowed = entry.rules
    .filter(({ approval }) => approval === "preApproved")
    .map(({ pattern, unsafe }) => `${pattern.trim()}${unsafe ? " (unsafe)" : ""}`);
  return [
    {
      key: "toolset shell",
      signature: JSON.stringify(settings),
      label: `commands (without asking: ${allowed.join(", ") || "none"})`,
      files: [],
      options: { layer: "builtin", source: { kind: "builtin", id: "shell" } },
      load: (sandbox) =>
        attempt({ file, line }, `toolset "shell"`, async () => {
          const read = GIT_SETTINGS.map((name) => join(homedir(), name));
          const { createShell } = await shellToolset();
          const { tools, judge } = createShell({
            ...settings,
            root: workspace,
            confine: (argv, { cwd }) => sandbox.command(argv, { cwd, read }),
          });
          return { tools, judge, diagnostics: [] };
        }),
    },
  ];
}

/** Folders of a workspace from which code or agents are loaded. */
const LOADED_FROM = ["tools", "plugins", "agents", "hooks"];

function filesystemSources(
  { filesystem }: Config,
  places: SourcePlaces,
  running: readonly string[],
): WorkspaceSource[] {
  if (!filesystem) return [];
  const { entry, file, line } = filesystem;
  const protect = [
    ...LOADED_FROM.map((folder) => join(places.workspace, folder)),
    ...(places.protect ?? []),
    ...running,
  ];
  const { mounts = { "/": "." }, readonly = false } = entry;
  const described = Object.entries(mounts).map(([at, given]) => {
    const { path, readonly: only = false } = typeof given === "string" ? { path: given } : given;
    return `${at} → ${path}${readonly || only ? " (read-only)" : ""}`;
  });
  return [
    {
      key: "toolset filesystem",
      signature: JSON.stringify([entry, protect]),
      label: `files (${described.join(", ")})`,
      files: [],
      options: { layer: "builtin", source: { kind: "builtin", id: "filesystem" } },
      load: () =>
        attempt({ file, line }, `toolset "filesystem"`, async () => {
          const { createFilesystem } = await filesToolset();
          const created = createFilesystem({ ...entry, base: dirname(file), protect });
          return { tools: created.tools, diagnostics: [], filesystem: created };
        }),
    },
  ];
}

/** The toolsets that bring code, of a workspace or of an agent. Only reads. */
export function toolsetSources({ toolsets }: Pick<Config, "toolsets">, places: SourcePlaces): WorkspaceSource[] {
  const { workspace, packages } = places;
  return Array.from(toolsets, ([key, placed]) => {
    const { entry, file, line } = placed;
    const module = entry.module === undefined ? undefined : fromFile(file, entry.module);
    return fromCode({
      key: `toolset ${key}`,
      signature: JSON.stringify([entry, module && stamp(module)]),
      label: `toolset "${key}" (${entry.package ? `package ${entry.package}` : entry.module})`,
      what: `toolset "${key}"`,
      origin: { file, line },
      recipe: { kind: "toolset", key, placed: anywhere(placed), places: { workspace, packages } },
      files: module ? [module] : [],
      env: entry.env ?? {},
      trusted: entry.trusted === true,
      options: {
        layer: "user",
        prefix: key,
        source: { kind: module ? "module" : "package", id: key, file: module ?? entry.package! },
      },
      process: module
        ? moduleProcess(module, entry)
        : {
            place: JSON.stringify(["package", entry.package, entry.env]),
            signature: "",
            label: `package ${entry.package}`,
          },
      secrets: places,
    });
  });
}

/** The host tools of a workspace, and the commands of an agent. Only reads. */
export function hostToolSources({ tools }: Pick<Config, "tools">, places: SourcePlaces): WorkspaceSource[] {
  return tools.map((placed) =>
    "command" in placed.entry
      ? commandSource(placed as Placed<HostCommandEntry>, places)
      : moduleSource(placed as Placed<HostModuleEntry>, places),
  );
}

function moduleSource(placed: Placed<HostModuleEntry>, secrets: SecretDeps): WorkspaceSource {
  const { entry, file, line } = placed;
  const module = fromFile(file, entry.module);
  return fromCode({
    key: `host tool ${entry.name} ${file}`,
    signature: JSON.stringify([entry, stamp(module)]),
    label: `tool "${entry.name}" (${entry.module})`,
    what: `tool "${entry.name}"`,
    origin: { file, line },
    recipe: { kind: "host-tool", placed: anywhere(placed) },
    files: [module],
    env: entry.env ?? {},
    trusted: entry.trusted === true,
    options: { layer: "host", source: { kind: "host", id: basename(file), file: module } },
    process: moduleProcess(module, entry),
    secrets,
  });
}

function commandSource(placed: Placed<HostCommandEntry>, secrets: SecretDeps): WorkspaceSource {
  const { entry, file, line } = placed;
  const { command } = entry;
  const files = command.map((word) => fromFile(file, word)).filter((path) => statOf(path)?.isFile());
  const key = `host tool ${entry.name} ${file}`;
  const what = `tool "${entry.name}"`;
  return {
    key,
    signature: JSON.stringify([entry, files.map(stamp)]),
    label: `tool "${entry.name}" (command: ${JSON.stringify(command)})`,
    // A script that is named as an argument runs as much as the program itself.
    files,
    options: { layer: "host", source: { kind: "host", id: basename(file), file } },
    load: (sandbox) =>
      attempt({ file, line }, what, async () => {
        const env = await resolveSecrets(entry.env, secrets);
        const isSame = sealFiles(files);
        const command: Sandbox["command"] = async (argv, place) => {
          if (isSame()) return sandbox.command(argv, place);
          sandbox.changed(key);
          throw changedError(what);
        };
        const { commandTool } = await commandTools();
        return {
          tools: [commandTool({ ...placed, entry: { ...entry, ...(env && { env }) } }, { command })],
          diagnostics: [],
        };
      }),
  };
}

const MODULES = [".ts", ".mts", ".js", ".mjs"];

function fileSources(folder: string, secrets: SecretDeps): WorkspaceSource[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter(
    (name) => MODULES.includes(extname(name)) && !/\.(test|d)\.m?ts$/.test(name),
  );
  return files.sort().map((name) => {
    const file = join(folder, name);
    return fromCode({
      key: `file ${file}`,
      signature: stamp(file),
      label: `tools/${name}`,
      what: `tools/${name}`,
      origin: { file },
      recipe: { kind: "file", file },
      files: [file],
      env: {},
      trusted: false,
      options: { layer: "user", source: { kind: "file", id: basename(name, extname(name)), file } },
      process: { place: file, signature: stamp(file), label: `tools/${name}` },
      secrets,
    });
  });
}

interface Code extends Omit<CodeSource, "process"> {
  readonly signature: string;
  readonly label: string;
  /** In messages. */
  readonly what: string;
  readonly origin: Origin;
  readonly options: RegisterOptions;
  readonly process: CodeSource["process"];
  readonly secrets: SecretDeps;
}

/** Everything that is loaded from one module shares a process, as it shares the module's variables. */
function moduleProcess(
  module: string,
  { module: shown, env }: { readonly module?: string; readonly env?: Readonly<Record<string, string>> },
): CodeSource["process"] {
  return { place: JSON.stringify(["module", module, env]), signature: stamp(module), label: shown ?? module };
}

function fromCode({ what, origin, options, label, signature, secrets, ...code }: Code): WorkspaceSource {
  const { key, files } = code;
  return {
    key,
    signature,
    label,
    files,
    options,
    load: (sandbox) =>
      attempt(origin, what, async () => {
        const { tools, problems, release } = await sandbox.load(await withSecrets(code, secrets));
        return {
          tools,
          diagnostics: problems.map(({ name, message }) => refused(origin, `${what}: ${name}: ${message}`)),
          release,
        };
      }),
  };
}

/** References to secrets in what code is handed, its environment and the arguments of its call, as what they stand for. */
async function withSecrets(code: CodeSource, deps: SecretDeps): Promise<CodeSource> {
  const env = await resolveSecrets(code.env, deps);
  const { recipe } = code;
  if (recipe.kind !== "toolset" || !recipe.placed.entry.call) return { ...code, env };
  const call = await resolveSecrets(recipe.placed.entry.call, deps);
  return { ...code, env, recipe: { ...recipe, placed: { ...recipe.placed, entry: { ...recipe.placed.entry, call } } } };
}

/** Where an entry stands in its file says nothing about its tools. */
function anywhere<T>(placed: Placed<T>): Placed<T> {
  return { ...placed, line: 0 };
}

interface Origin {
  readonly file: string;
  readonly line?: number;
}

async function attempt(origin: Origin, what: string, load: () => Promise<LoadedSource>): Promise<LoadedSource> {
  try {
    return await load();
  } catch (error) {
    return { tools: [], diagnostics: [refused(origin, `${what} was not loaded: ${messageOf(error)}`)] };
  }
}

function refused(origin: Origin, message: string): Diagnostic {
  return { severity: "error", code: "not_loaded", message, ...origin };
}
