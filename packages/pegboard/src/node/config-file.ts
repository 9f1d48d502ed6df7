import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Approval, Capability, Json, JsonSchema } from "@pegboard/contract";
import type { Diagnostic } from "../core/diagnostic.ts";
import { parseDuration } from "../core/duration.ts";
import { messageOf, PegboardError } from "../core/error.ts";
import { pointerSegment } from "../core/json.ts";
import type { DelegationOptions } from "../agents/task-judges.ts";
import type { Limits } from "../core/limits.ts";
import { checkExamples, type Rule } from "../core/rule.ts";
import type { Problem } from "../core/schema.ts";
import { checkConfig } from "./check-config.ts";
import { CONFIG_SCHEMA, HOST_TOOLS_SCHEMA, POLICY_SCHEMA } from "./config-schema.ts";
import type { FilesystemOptions } from "./files/filesystem.ts";
import { type ConfiguredServer, readServers, type ServerEntry } from "./mcp/read-servers.ts";
import type { ModelSettings } from "./models.ts";
import type { SwitchedOff } from "../plugins/shelves.ts";
import type { SandboxSettings } from "./sandbox/settings.ts";
import { shellRuleWarnings } from "./shell/rule-warnings.ts";
import type { ReadShell, ShellSettings, WrittenShell } from "./shell/settings.ts";
import type { WebToolsSettings } from "./web/tools.ts";
import type { VfsScope } from "../tools/vfs.ts";
import { parseYaml, type YamlFile } from "../core/yaml.ts";

/** One entry of `toolsets`, as it is written. */
export interface ToolsetEntry {
  readonly package?: string;
  readonly module?: string;
  readonly import?: string;
  readonly call?: readonly unknown[];
  readonly select?: string;
  readonly tools?: readonly string[];
  readonly shared?: boolean;
  readonly trusted?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly approval?: Approval | { readonly default?: Approval; readonly tools?: Readonly<Record<string, Approval>> };
}

/** One entry of `tools`, as it is written: a function of a module, or a program. */
export type HostToolEntry = HostModuleEntry | HostCommandEntry;

/** A host tool that is a function of a module. */
export interface HostModuleEntry extends HostEntry {
  readonly module: string;
  readonly function: string;
  readonly scope?: "global" | "session";
  readonly trusted?: boolean;
}

/** A host tool that is a program: its name or path, and its arguments. */
export interface HostCommandEntry extends HostEntry {
  readonly command: readonly string[];
}

interface HostEntry {
  readonly name: string;
  readonly description: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly parameters?: JsonSchema;
  readonly requires_approval?: boolean;
  readonly timeout?: number | string | null;
  readonly category?: string;
  readonly capabilities?: readonly Capability[];
  readonly version?: string;
}

/** An entry with the place where it stands. */
export interface Placed<T> {
  readonly entry: T;
  readonly file: string;
  readonly line: number;
}

/** What a configuration file says about plugins. */
export interface PluginsSettings {
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
  readonly settings: Readonly<Record<string, Json>>;
  readonly off: Readonly<Record<string, SwitchedOff>>;
  /** Those whose modules run in this process. */
  readonly trusted: readonly string[];
}

/** What a configuration file says. `fatal` means that it must not be worked with: a rule or limit may be missing. */
export interface Config {
  readonly file: string;
  readonly toolsets: ReadonlyMap<string, Placed<ToolsetEntry>>;
  readonly tools: readonly Placed<HostToolEntry>[];
  readonly mcpServers: ReadonlyMap<string, Placed<ConfiguredServer>>;
  readonly vfs: VfsScope & { readonly versions?: number };
  /** The model of agents that name none. */
  readonly model: string | undefined;
  /** The model of all agents, whatever else is named. */
  readonly forcedModel: string | undefined;
  /** Aliases, prices and providers of models. */
  readonly models: ModelSettings;
  /** What an agent has that names no tools. */
  readonly agentTools: "all" | "none";
  /** Whether a call that only reads is answered with a notice when the same answer has made it already. */
  readonly noticesRepeats: boolean;
  /** The real folders of the file tools; undefined when there are none. */
  readonly filesystem: Placed<Pick<FilesystemOptions, "mounts" | "readonly">> | undefined;
  /** The rules for commands, and how they run; undefined when there are none. */
  readonly shell: Placed<ShellSettings> | undefined;
  readonly policy: { readonly default?: "ask" | "blocked"; readonly rules: readonly Rule[] };
  readonly limits: Partial<Limits>;
  readonly delegation: DelegationOptions;
  readonly sandbox: Partial<SandboxSettings>;
  readonly webTools: WebToolsSettings;
  /** Where the server listens. */
  readonly server: { readonly host?: string; readonly port?: number };
  readonly plugins: PluginsSettings;
  readonly diagnostics: readonly Diagnostic[];
  readonly fatal: boolean;
  /** The line of what a JSON pointer names. */
  lineOf(pointer: string): number;
}

/** Reads a `pegboard.yaml`. Never rejects for what is in it: a bad toolset or tool is left out, anything else is `fatal`. */
export function readConfig(file: string): Promise<Config> {
  return read(file, CONFIG_SCHEMA);
}

/** Reads the person's own policy; a file that is not there says nothing. */
export function readPolicy(file: string): Promise<Config> {
  return read(file, POLICY_SCHEMA, (value) => ({ policy: value as NonNullable<Written["policy"]> }));
}

/** Reads a file of host tools: `tools:` alone. */
export function readHostTools(file: string): Promise<Config> {
  return read(file, HOST_TOOLS_SCHEMA);
}

interface Written {
  readonly toolsets?: Readonly<Record<string, ToolsetEntry>>;
  readonly tools?: readonly HostToolEntry[];
  readonly mcpServers?: Readonly<Record<string, ServerEntry>>;
  readonly policy?: {
    readonly default?: "ask" | "blocked";
    readonly rules?: readonly Rule[];
    readonly shell?: WrittenShell;
    readonly force_model?: string;
  };
  readonly model?: string;
  readonly models?: ModelSettings["aliases"];
  readonly prices?: ModelSettings["prices"];
  readonly providers?: ModelSettings["providers"];
  readonly agents?: {
    readonly tools?: "all" | "none";
    readonly repeated_reads?: "call" | "notice";
    readonly force_model?: string;
  };
  readonly limits?: WrittenLimits;
  readonly delegation?: WrittenDelegation;
  readonly sandbox?: Partial<SandboxSettings>;
  readonly server?: Config["server"];
  readonly web?: NonNullable<WebToolsSettings["web"]> & { readonly timeout?: number | string };
  readonly web_search?: NonNullable<WebToolsSettings["search"]>;
  readonly plugins?: Partial<PluginsSettings>;
}

interface WrittenLimits extends Pick<Partial<Limits>, (typeof COUNTS)[number]> {
  readonly timeout?: number | string;
  readonly poolIdle?: number | string;
  readonly sessionIdle?: number | string;
  readonly budget?: {
    readonly tokens?: number;
    readonly usd?: number;
    readonly time?: number | string;
    readonly spawns?: number;
  };
}

interface WrittenDelegation extends Pick<DelegationOptions, "validator" | "rubric"> {
  readonly validator_failure?: NonNullable<DelegationOptions["validatorFailure"]>;
  readonly max_iterations?: number;
  readonly max_usd?: number;
  readonly backoff?: number | string;
}

/** The limits that are written as they are kept. */
const COUNTS = [
  "depth",
  "runs",
  "turns",
  "fanout",
  "concurrency",
  "waiting",
  "sameAgentInChain",
  "toolTokens",
  "poolSize",
] as const;

async function read(
  file: string,
  schema: JsonSchema,
  toWritten = (value: unknown) => value as Written,
): Promise<Config> {
  const path = resolve(file);
  const yaml = parseYaml(readText(path), path);
  const problems = yaml.diagnostics.length > 0 ? [] : check(schema, yaml.value);
  const bad = new Set(problems.map(({ path: pointer }) => itemOf(pointer)));
  const written = bad.has("") || yaml.value === undefined ? {} : toWritten(yaml.value);
  const placed = <T>(entry: T, pointer: string): Placed<T> => ({ entry, file: path, line: yaml.at(pointer).line });
  const toolsets = Object.entries(written.toolsets ?? {}).filter(
    ([key]) => !isReserved(key) && !bad.has(`/toolsets${pointerSegment(key)}`),
  );
  const tools = (written.tools ?? [])
    .map((entry, index) => ({ entry, pointer: `/tools/${index}` }))
    .filter(({ pointer }) => !bad.has(pointer));
  const mcp = readServers(
    Object.entries(written.mcpServers ?? {})
      .map(([name, entry]) => ({ name, entry, pointer: `/mcpServers${pointerSegment(name)}` }))
      .filter(({ pointer }) => !bad.has(pointer))
      .map(({ name, entry, pointer }) => [name, placed(entry, pointer)] as const),
  );
  const rulesAt = schema === POLICY_SCHEMA ? "/rules" : "/policy/rules";
  const rules = (written.policy?.rules ?? []).map((rule, index) => ({
    ...rule,
    origin: { file: path, line: yaml.at(`${rulesAt}/${index}`).line },
  }));
  const examples = bad.has("")
    ? []
    : rules.flatMap((rule) =>
        checkExamples(rule)
          .filter(({ holds }) => holds === false)
          .map(({ problem }) => toExampleDiagnostic(problem!, rule)),
      );
  const shell = bad.has("/toolsets/shell") ? undefined : await shellOf(written, path, yaml);
  return {
    file: path,
    toolsets: new Map(toolsets.map(([key, entry]) => [key, placed(entry, `/toolsets${pointerSegment(key)}`)])),
    tools: tools.map(({ entry, pointer }) => placed(entry, pointer)),
    mcpServers: mcp.servers,
    filesystem:
      bad.has("/toolsets/filesystem") || !written.toolsets?.["filesystem"]
        ? undefined
        : placed(written.toolsets["filesystem"] as FilesystemOptions, "/toolsets/filesystem"),
    vfs: bad.has("/toolsets/vfs") ? {} : toVfs(written.toolsets?.["vfs"] as WrittenVfs | undefined),
    model: written.model,
    forcedModel: written.policy?.force_model ?? written.agents?.force_model,
    models: toModelSettings(written),
    agentTools: written.agents?.tools ?? "all",
    noticesRepeats: written.agents?.repeated_reads === "notice",
    shell: shell?.settings && placed(shell.settings, shell.pointer),
    policy: {
      ...(written.policy?.default && { default: written.policy.default }),
      rules: [...rules, ...toolsets.flatMap(([key, entry]) => approvalRules(key, entry, path, yaml))],
    },
    limits: toLimits(written.limits),
    delegation: toDelegation(written.delegation),
    sandbox: written.sandbox ?? {},
    webTools: toWebTools(written),
    server: written.server ?? {},
    plugins: { enabled: [], disabled: [], settings: {}, off: {}, trusted: [], ...written.plugins },
    diagnostics: [
      ...yaml.diagnostics,
      ...problems.map((problem) => toDiagnostic(problem, path, yaml)),
      ...examples,
      ...(shell?.diagnostics ?? []),
      ...shellRuleWarnings(rules),
      ...mcp.diagnostics,
    ],
    fatal:
      yaml.diagnostics.length > 0 ||
      examples.length > 0 ||
      bad.has("") ||
      bad.has("/toolsets/vfs") ||
      (schema === POLICY_SCHEMA && shell !== undefined && !shell.settings),
    lineOf: (pointer) => yaml.at(pointer).line,
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new PegboardError("invalid_config", `${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function check(schema: JsonSchema, value: unknown): readonly Problem[] {
  if (value === undefined || value === null)
    return [{ path: "", message: "the file is empty; it needs at least: version: 1" }];
  return checkConfig(schema, value);
}

// A problem inside one toolset, tool or server is that item's; anywhere else it is the whole file's.
function itemOf(pointer: string): string {
  return /^\/(?:toolsets|tools|mcpServers)\/[^/]+/.exec(pointer)?.[0] ?? "";
}

function isReserved(key: string): boolean {
  return key === "vfs" || key === "filesystem" || key === "shell";
}

async function shellOf(
  { toolsets, policy }: Written,
  file: string,
  yaml: YamlFile,
): Promise<(ReadShell & { readonly pointer: string }) | undefined> {
  const written = (toolsets?.["shell"] as WrittenShell | undefined) ?? policy?.shell;
  if (!written) return undefined;
  const pointer = policy?.shell ? "/shell" : "/toolsets/shell";
  // What parses commands is loaded only for a file that has rules for them.
  const { readShell } = await import("./shell/settings.ts");
  return { ...readShell(written, file, (below) => yaml.at(`${pointer}${below}`)), pointer };
}

function approvalRules(key: string, { approval }: ToolsetEntry, file: string, yaml: YamlFile): Rule[] {
  if (approval === undefined) return [];
  const pointer = `/toolsets${pointerSegment(key)}/approval`;
  const origin = (at: string) => ({ file, line: yaml.at(at).line });
  if (typeof approval === "string") return [{ toolset: key, approval, origin: origin(pointer) }];
  const tools = Object.entries(approval.tools ?? {}).map(([tool, word]): Rule => {
    return { tool: `${key}__${tool}`, approval: word, origin: origin(`${pointer}/tools${pointerSegment(tool)}`) };
  });
  return approval.default
    ? [{ toolset: key, approval: approval.default, origin: origin(`${pointer}/default`) }, ...tools]
    : tools;
}

function toModelSettings({ models: aliases, prices, providers }: Written): ModelSettings {
  return { ...(aliases && { aliases }), ...(prices && { prices }), ...(providers && { providers }) };
}

type WrittenVfs = Omit<Config["vfs"], "editAgents"> & { readonly edit_agents?: boolean };

function toVfs({ edit_agents: editAgents, ...scope }: WrittenVfs = {}): Config["vfs"] {
  return { ...scope, ...(editAgents !== undefined && { editAgents }) };
}

function toLimits(limits: WrittenLimits = {}): Partial<Limits> {
  const { timeout, poolIdle, sessionIdle, budget: { tokens, usd, time, spawns } = {} } = limits;
  return {
    ...Object.fromEntries(COUNTS.filter((name) => limits[name] !== undefined).map((name) => [name, limits[name]])),
    ...(tokens !== undefined && { budgetTokens: tokens }),
    ...(usd !== undefined && { budgetUsd: usd }),
    ...(time !== undefined && { budgetMs: toMs(time) }),
    ...(spawns !== undefined && { budgetSpawns: spawns }),
    ...(poolIdle !== undefined && { poolIdleMs: toMs(poolIdle) }),
    ...(sessionIdle !== undefined && { sessionIdleMs: toMs(sessionIdle) }),
    ...toTimeoutMs(timeout),
  };
}

function toDelegation(written: WrittenDelegation = {}): DelegationOptions {
  const { validator_failure, max_iterations, max_usd, backoff, ...same } = written;
  return {
    ...same,
    ...(validator_failure && { validatorFailure: validator_failure }),
    ...(max_iterations !== undefined && { maxIterations: max_iterations }),
    ...(max_usd !== undefined && { maxUsd: max_usd }),
    ...(backoff !== undefined && { backoffMs: toMs(backoff) }),
  };
}

function toWebTools({ web, web_search: search }: Written): WebToolsSettings {
  const { timeout, ...given } = web ?? {};
  return { web: { ...given, ...toTimeoutMs(timeout) }, ...(search && { search }) };
}

function toTimeoutMs(timeout: number | string | undefined): { readonly timeoutMs?: number } {
  return timeout === undefined ? {} : { timeoutMs: toMs(timeout) };
}

/** Milliseconds of a time that its schema has checked: seconds, or a text with a unit. */
function toMs(time: number | string): number {
  return typeof time === "string" ? parseDuration(time)! : time * 1000;
}

function toDiagnostic({ path, message, keyword, params }: Problem, file: string, yaml: YamlFile): Diagnostic {
  const code = keyword === "additionalProperties" ? "unknown_key" : "invalid_value";
  // An unknown key is a problem of what holds it; a person looks for the key.
  const { line, column } = yaml.at(
    code === "unknown_key" ? `${path}${pointerSegment(String(params?.["additionalProperty"]))}` : path,
  );
  return {
    severity: "error",
    code,
    message: `${path === "" ? "" : `${path}: `}${message}${leftOut(path, yaml.value)}`,
    file,
    line,
    column,
  };
}

// People know a host tool by its name, not by its place in the list.
function leftOut(path: string, value: unknown): string {
  const index = /^\/tools\/(\d+)/.exec(path)?.[1];
  const { name } = Object((value as { tools?: Record<string, unknown> } | undefined)?.tools?.[index ?? ""]) as {
    name?: unknown;
  };
  return typeof name === "string" ? `; tool "${name}" is left out` : "";
}

function toExampleDiagnostic(message: string, { origin }: Rule): Diagnostic {
  return {
    severity: "error",
    code: "example_failed",
    message: `a rule does not hold its examples: ${message}`,
    ...origin,
  };
}
