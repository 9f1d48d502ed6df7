import { isBuiltin } from "node:module";
import { posix } from "node:path";
import { type Reference, referencesOf } from "./references.ts";

/** The text of every source file, by its path from the root of the repository. */
export type Sources = ReadonlyMap<string, string>;

/** The parts of a package.json that say what its code may import. */
export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const CONTRACT = "packages/contract/src/";
const PRODUCT = "packages/pegboard/src/";
const PARTS = ["agents", "plugins", "sources", "tools", "stores", "models", "observe"];
const NODE = ["contract", "core", "stores", "sources", "tools", "plugins", "agents", "models"];

/** The files that other programs import. */
const ENTRIES = ["index.ts", "node/index.ts"];

interface MayImport {
  readonly any: readonly string[];
  readonly types?: readonly string[];
  /** Whether what the entries export may be taken from the file that has it. */
  readonly published?: boolean;
}

/** What each area may import besides itself. An entry for a file goes before that of its folder, and that before its area's. */
const MAY_IMPORT: Readonly<Record<string, MayImport>> = {
  contract: { any: [] },
  core: { any: ["contract"] },
  ...Object.fromEntries(PARTS.map((part) => [part, { any: ["contract", "core"] }])),
  // Servers are told which program of which version calls.
  "sources/mcp/connection.ts": { any: ["contract", "core", "version.ts"] },
  "runtime.ts": { any: ["contract", "core", ...PARTS] },
  transports: { any: ["contract", "core", "version.ts"], types: ["runtime.ts", "agents", "observe"] },
  node: { any: NODE },
  "node/workspace.ts": { any: [...NODE, "runtime.ts"] },
  // To know which tools are built in.
  "node/inspect.ts": { any: [...NODE, "runtime.ts"] },
  // What hangs doors on sockets and standard streams.
  "node/serve": { any: [...NODE, "observe", "runtime.ts", "transports", "version.ts"] },
  cli: { any: ["contract", ...ENTRIES, "ai-sdk.ts", "client", "testing"], published: true },
  testing: { any: ["contract", "core", "runtime.ts", "stores", "models"] },
  "index.ts": { any: ["contract", "core", ...PARTS, "runtime.ts", "transports", "testing", "version.ts"] },
  "ai-sdk.ts": { any: ["models", "sources"] },
  "version.ts": { any: [] },
  // The entries of single doors.
  "mcp.ts": { any: ["transports"] },
  "http.ts": { any: ["transports"] },
  "acp.ts": { any: ["transports"] },
  client: { any: ["contract", "transports/native/routes.ts"], types: ["core", "transports"] },
};

/** The areas that run on Node only. Everything else must also run in a browser. */
const ON_NODE = ["node", "cli"];

/** Where each third-party package is imported: in one file, whose path must match, or anywhere in one folder. */
const HOMES: Readonly<Record<string, { readonly file: RegExp } | { readonly folder: string }>> = {
  "@agentclientprotocol/sdk": { folder: "transports/acp" },
  "@ai-sdk/anthropic": { file: /^models\/providers\/anthropic\.ts$/ },
  "@ai-sdk/google": { file: /^models\/providers\/google\.ts$/ },
  "@ai-sdk/openai": { file: /^models\/providers\/openai\.ts$/ },
  "@ai-sdk/openai-compatible": { file: /^models\/providers\/openai-compatible\.ts$/ },
  "@ai-sdk/provider": { folder: "models/ai-sdk" },
  "@ai-sdk/provider-utils": { folder: "sources" },
  "@hono/node-server": { folder: "node/serve" },
  "@modelcontextprotocol/server": { folder: "transports/mcp" },
  "@opentelemetry/api": { file: /^observe\/trace\.ts$/ },
  "@modelcontextprotocol/client": { folder: "sources/mcp" },
  ajv: { file: /^core\/schema[^/]*\.ts$/ },
  commander: { folder: "cli" },
  hono: { folder: "transports/http" },
  htmlparser2: { file: /^tools\/web\/html\.ts$/ },
  "smol-toml": { file: /^plugins\/toml\.ts$/ },
  unbash: { folder: "tools/shell/syntax" },
  re2js: { file: /^core\/[^/]+\.ts$/ },
  ws: { folder: "node/serve" },
  yaml: { file: /^core\/yaml\.ts$/ },
};

/** Everything that breaks the rules of `docs/architecture.md` on who may import whom, one sentence each. */
export function checkImports(sources: Sources): string[] {
  const offences: string[] = [];
  const graph = new Map<string, string[]>();
  const homes = new Map<string, Set<string>>();
  const published = publishedBy(sources);

  for (const [file, text] of sources) {
    const edges: string[] = [];
    graph.set(file, edges);
    for (const reference of referencesOf(file, text)) {
      const offend = (what: string) => offences.push(`${file}:${reference.line} ${what}`);
      const { specifier } = reference;
      if (specifier === undefined) {
        if (areaOf(file) !== "node") offend("imports what only a running program could name; only src/node may");
      } else if (specifier.startsWith(".")) {
        const target = posix.join(posix.dirname(file), specifier);
        edges.push(target);
        if (!sources.has(target)) offend(`imports ${specifier}, which is no source file`);
        else if (!sharesPackage(file, target)) offend(`imports ${specifier}; packages import each other by name`);
        else if (!mayImport(file, shortPath(target), reference, published))
          offend(`may not import ${shortPath(target)}`);
      } else if (isBuiltin(specifier)) {
        if (!ON_NODE.includes(areaOf(file))) offend(`imports ${specifier}, but must run in a browser too`);
      } else if (specifier === "@pegboard/contract") {
        if (!mayImport(file, "contract", reference, published) || areaOf(file) === "contract")
          offend(`may not import ${specifier}`);
      } else if (areaOf(file) === "contract") {
        offend(`imports ${specifier}, but the contract depends on nothing`);
      } else {
        const name = packageOf(specifier);
        homes.set(name, (homes.get(name) ?? new Set()).add(shortPath(file)));
      }
    }
  }
  return [...offences, ...[...homes].flatMap(([name, files]) => checkHome(name, [...files])), ...findCycles(graph)];
}

/** Third-party imports that the manifest does not declare, and declared packages that nothing imports. */
export function checkDependencies(sources: Sources, manifest: Manifest): string[] {
  const declared = Object.keys({
    ...manifest.dependencies,
    ...manifest.peerDependencies,
    ...manifest.optionalDependencies,
  });
  const imported = new Set<string>();
  for (const [file, text] of sources) {
    for (const { specifier } of referencesOf(file, text)) {
      if (specifier !== undefined && !specifier.startsWith(".") && !isBuiltin(specifier)) {
        imported.add(packageOf(specifier));
      }
    }
  }
  return [
    ...[...imported].filter((name) => !declared.includes(name)).map((name) => `${name} is imported and not declared`),
    ...declared.filter((name) => !imported.has(name)).map((name) => `${name} is declared and never imported`),
  ];
}

/** What the entries export, by the file that has it. */
function publishedBy(sources: Sources): Map<string, readonly string[]> {
  const published = new Map<string, readonly string[]>();
  for (const entry of ENTRIES.map((name) => PRODUCT + name)) {
    for (const { specifier = "", names = [] } of referencesOf(entry, sources.get(entry) ?? "")) {
      const file = shortPath(posix.join(posix.dirname(entry), specifier));
      published.set(file, [...(published.get(file) ?? []), ...names]);
    }
  }
  return published;
}

function mayImport(
  file: string,
  target: string,
  { typeOnly, names }: Reference,
  published: ReadonlyMap<string, readonly string[]>,
): boolean {
  const own = areaOf(file);
  const path = shortPath(file);
  const rule = MAY_IMPORT[path] ?? MAY_IMPORT[posix.dirname(path)] ?? MAY_IMPORT[own];
  if (!rule) return false;
  const allowed = [own, ...rule.any, ...((typeOnly && rule.types) || [])];
  if (rule.published && names?.every((name) => published.get(target)?.includes(name))) return true;
  return allowed.some((area) => target === area || target.startsWith(`${area}/`));
}

function checkHome(name: string, files: readonly string[]): string[] {
  const home = HOMES[name];
  if (!home) return [`${name} is imported by ${files.join(", ")} and has no home in test/architecture.ts`];
  const isAtHome = (file: string) => ("file" in home ? home.file.test(file) : file.startsWith(`${home.folder}/`));
  const strays = files.filter((file) => !isAtHome(file));
  if (strays.length > 0) return [`${name} is imported outside its home, by ${strays.join(", ")}`];
  if ("file" in home && files.length > 1) return [`${name} has more than one home: ${files.join(", ")}`];
  return [];
}

function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) {
      cycles.push(`a cycle: ${[...trail.slice(trail.indexOf(file)), file].map(shortPath).join(" → ")}`);
    } else if (!done.has(file)) {
      for (const target of graph.get(file) ?? []) visit(target, [...trail, file]);
      done.add(file);
    }
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
}

/** `core` for `packages/pegboard/src/core/error.ts`, `runtime.ts` for a file beside the folders. */
function areaOf(file: string): string {
  return shortPath(file).split("/")[0]!;
}

function shortPath(file: string): string {
  return file.startsWith(CONTRACT) ? `contract/${file.slice(CONTRACT.length)}` : file.slice(PRODUCT.length);
}

function sharesPackage(file: string, other: string): boolean {
  return file.startsWith(CONTRACT) === other.startsWith(CONTRACT);
}

function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}
