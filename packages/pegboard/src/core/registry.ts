import type { Capability, SessionTool, Tool } from "@pegboard/contract";
import { PegboardError } from "./error.ts";
import type { Judge } from "./judge.ts";
import { canonicalJson, sha256 } from "./json.ts";
import { fullName } from "./name.ts";
import { type CompiledSchema, compileSchema } from "./schema.ts";

/** Who put a tool on the board, from the lowest layer to the highest: a higher one hides a lower one of the same name. */
export const LAYERS = ["builtin", "plugin", "host", "user", "session"] as const;
export type Layer = (typeof LAYERS)[number];

/** Where a tool comes from. The word of a `package`, `plugin` or `mcp` source is somebody else's: it can only raise. */
export interface ToolSource {
  readonly kind: "builtin" | "host" | "file" | "module" | "package" | "plugin" | "mcp" | "prompt";
  readonly id: string;
  readonly file?: string;
  readonly plugin?: string;
  /** Of a plugin: its version, the digest of what was read of it, and the line that asks for it. */
  readonly version?: string;
  readonly digest?: string;
  readonly enabledBy?: { readonly file: string; readonly line?: number };
  /** The run whose agent brought it, for that run alone. */
  readonly agent?: string;
}

export type AnyTool = Tool<any, any> | SessionTool<any, any>;

/** One tool on the board. It never changes: a replaced tool is another registration. */
export interface Registration {
  readonly name: string;
  readonly tool: AnyTool;
  readonly source: ToolSource;
  readonly layer: Layer;
  readonly input: CompiledSchema;
  readonly output?: CompiledSchema;
  readonly judge?: Judge;
}

/** How tools are registered: by default as the host's own, under their bare names. */
export interface RegisterOptions {
  readonly source?: ToolSource;
  readonly layer?: Layer;
  /** Names become `prefix__tool`. */
  readonly prefix?: string;
  /** The operator's rules for the inputs of these tools. */
  readonly judge?: Judge;
}

/** What changed on the board, by full names. */
export interface RegistryChange {
  readonly added: readonly Registration[];
  readonly removed: readonly Registration[];
}

/** What `registerOrReplace` did: `replaced` names the tools that were there before. */
export interface Replacement extends Disposable {
  readonly replaced: readonly string[];
}

const NO_PEGS = new Map<string, Registration[]>();
const NO_TOOLS: ReadonlyMap<string, Registration> = new Map();
const HOST: RegistryDefaults = { layer: "host", source: { kind: "host", id: "host" } };

/** As whose tools are registered when nothing else is said, and whose are taken away by name. */
export interface RegistryDefaults {
  readonly layer: Layer;
  readonly source: ToolSource;
}

/**
 * The board: a stack of registrations for each name, ordered by layer. Taking one away reveals the next. Two in one layer
 * are an error that names both. Registering is all or nothing.
 */
export class Registry {
  // Every run has a board, and most stay empty: they share a map until they need one, and an empty list weighs next to nothing.
  #pegs: Map<string, Registration[]> = NO_PEGS;
  #listeners: readonly ((change: RegistryChange) => void)[] = [];
  readonly #defaults: RegistryDefaults;
  #version = 0;
  #snapshot: ReadonlyMap<string, Registration> | undefined;

  constructor(defaults: RegistryDefaults = HOST) {
    this.#defaults = defaults;
  }

  /** Grows with every change. */
  get version(): number {
    return this.#version;
  }

  /** How many names there are. */
  get count(): number {
    return this.#pegs.size;
  }

  /** Adds tools; disposing takes them away again. Throws `duplicate` or `invalid_definition`, and then adds none. */
  register(tools: AnyTool | readonly AnyTool[], options: RegisterOptions = {}): Disposable {
    const added = toRegistrations(tools, { ...this.#defaults, ...options });
    for (const registration of added) {
      const present = this.#inLayer(registration);
      if (present) throw duplicate(registration, present);
    }
    return this.#exchange(added, []);
  }

  /** Like `register`, but tools of the same name and layer make room, whoever registered them. */
  registerOrReplace(tools: AnyTool | readonly AnyTool[], options: RegisterOptions = {}): Replacement {
    const added = toRegistrations(tools, { ...this.#defaults, ...options });
    const removed = added.flatMap((registration) => this.#inLayer(registration) ?? []);
    return Object.assign(this.#exchange(added, removed), { replaced: removed.map(({ name }) => name) });
  }

  /** Takes the tool of this name in the default layer away. Whether there was one. */
  unregister(name: string): boolean {
    const present = this.#pegs.get(name)?.find(({ layer }) => layer === this.#defaults.layer);
    if (present) this.#exchange([], [present]);
    return present !== undefined;
  }

  /** Takes all tools of the default layer away. How many there were. */
  clear(): number {
    const removed = [...this.#pegs.values()].flatMap((peg) =>
      peg.filter(({ layer }) => layer === this.#defaults.layer),
    );
    if (removed.length > 0) this.#exchange([], removed);
    return removed.length;
  }

  /** The tool that this name stands for now, or undefined. */
  get(name: string): AnyTool | undefined {
    return this.find(name)?.tool;
  }

  /** The registration on top of this name's stack. */
  find(name: string): Registration | undefined {
    return this.#pegs.get(name)?.at(-1);
  }

  /** All registrations of a name, the one on top first. */
  stack(name: string): readonly Registration[] {
    return this.#pegs.get(name)?.toReversed() ?? [];
  }

  /** The registration on top of every name, in the order in which the names came. */
  list(): Registration[] {
    return Array.from(this.#pegs.values(), (peg) => peg.at(-1)!);
  }

  /** The same by name, as it is now: a map that never changes, and the same one until something changes. */
  snapshot(): ReadonlyMap<string, Registration> {
    if (this.count === 0) return NO_TOOLS;
    return (this.#snapshot ??= new Map(this.list().map((registration) => [registration.name, registration])));
  }

  names(): string[] {
    return [...this.#pegs.keys()];
  }

  /** Calls the listener after every change, at once. It must not throw. */
  onChange(listener: (change: RegistryChange) => void): Disposable {
    this.#listeners = [...this.#listeners, listener];
    return { [Symbol.dispose]: () => void (this.#listeners = this.#listeners.filter((one) => one !== listener)) };
  }

  #inLayer({ name, layer }: Registration): Registration | undefined {
    return this.#pegs.get(name)?.find((other) => other.layer === layer);
  }

  #exchange(added: readonly Registration[], removed: readonly Registration[]): Disposable {
    for (const registration of removed) this.#take(registration);
    for (const registration of added) this.#hang(registration);
    if (added.length > 0 || removed.length > 0) this.#announce({ added, removed });
    return {
      [Symbol.dispose]: () => {
        const left = added.filter((registration) => this.#take(registration));
        if (left.length > 0) this.#announce({ added: [], removed: left });
      },
    };
  }

  #hang(registration: Registration): void {
    boards.set(registration, this);
    const peg = this.#pegs.get(registration.name);
    if (this.#pegs === NO_PEGS) this.#pegs = new Map();
    if (!peg) return void this.#pegs.set(registration.name, [registration]);
    const above = peg.findIndex((other) => LAYERS.indexOf(other.layer) > LAYERS.indexOf(registration.layer));
    peg.splice(above < 0 ? peg.length : above, 0, registration);
  }

  #take(registration: Registration): boolean {
    const peg = this.#pegs.get(registration.name);
    const at = peg?.indexOf(registration) ?? -1;
    if (!peg || at < 0) return false;
    peg.splice(at, 1);
    if (peg.length === 0) this.#pegs.delete(registration.name);
    return true;
  }

  #announce(change: RegistryChange): void {
    this.#version++;
    this.#snapshot = undefined;
    for (const listener of this.#listeners) listener(change);
  }
}

const boards = new WeakMap<object, Registry>();

/** The board that a registration was hung on. */
export function boardOf(registration: Pick<Registration, "name">): Registry | undefined {
  return boards.get(registration);
}

/** Whether the source's own word about approval and capabilities may lower what policy decides. */
export function isOwnWord({ kind }: ToolSource): boolean {
  return kind === "builtin" || kind === "host" || kind === "file" || kind === "module" || kind === "prompt";
}

/** Where a registration comes from, for messages. */
function describeSource({ kind, id, file }: ToolSource): string {
  return `${kind === id ? kind : `${kind} "${id}"`}${file ? ` (${file})` : ""}`;
}

const digests = new WeakMap<Registration, Promise<string>>();

/** The digest of all that a model or a person is told about a tool. Approvals are bound to it. */
export function definitionDigest(registration: Registration): Promise<string> {
  let digest = digests.get(registration);
  if (!digest) {
    const { name, tool, input, output } = registration;
    const { description, version = null, capabilities = [] } = tool;
    digest = sha256(
      canonicalJson({ name, description, version, capabilities, input: input.json, output: output?.json ?? null }),
    );
    digests.set(registration, digest);
  }
  return digest;
}

function toRegistrations(
  tools: AnyTool | readonly AnyTool[],
  options: RegisterOptions & RegistryDefaults,
): Registration[] {
  const seen = new Map<string, Registration>();
  for (const tool of Array.isArray(tools) ? (tools as readonly AnyTool[]) : [tools as AnyTool]) {
    const registration = toRegistration(tool, options);
    const other = seen.get(registration.name);
    if (other) throw duplicate(registration, other);
    seen.set(registration.name, registration);
  }
  return [...seen.values()];
}

function toRegistration(
  tool: AnyTool,
  { source, layer, prefix, judge }: RegisterOptions & RegistryDefaults,
): Registration {
  const name = fullName((tool as AnyTool | undefined)?.name, prefix);
  const problem = definitionProblem(tool);
  if (problem)
    throw new PegboardError("invalid_definition", `Tool "${name}" of ${describeSource(source)} is refused: ${problem}`);
  const foreign = !isOwnWord(source);
  try {
    const input = compileSchema(tool.input, { root: "object", foreign });
    return {
      name,
      tool,
      source,
      layer,
      input,
      ...(tool.output && { output: compileSchema(tool.output, { foreign }) }),
      ...(judge && { judge }),
    };
  } catch (error) {
    if (!(error instanceof PegboardError)) throw error;
    throw new PegboardError(error.code, `Tool "${name}" of ${describeSource(source)} is refused: ${error.message}`, {
      cause: error,
    });
  }
}

const CAPABILITIES: readonly Capability[] = ["read", "state", "write", "process", "network", "agent", "secrets"];
const SEMVER = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

function definitionProblem(tool: AnyTool): string | undefined {
  const { description, timeoutMs, capabilities = [], version } = tool;
  if (typeof description !== "string" || description.trim() === "") return "its description is empty";
  if (typeof ("open" in tool ? tool.open : tool.execute) !== "function") return "it has no function to execute";
  if (timeoutMs !== undefined && timeoutMs !== null && !(timeoutMs > 0 && Number.isFinite(timeoutMs))) {
    return `its timeout must be more than 0 milliseconds, or null for none; it is ${timeoutMs}`;
  }
  const unknown = capabilities.find((capability) => !CAPABILITIES.includes(capability));
  if (unknown !== undefined) return `capability "${unknown}" is unknown; there are ${CAPABILITIES.join(", ")}`;
  if (version !== undefined && !SEMVER.test(version))
    return `its version "${version}" is not a semantic version such as 1.2.3`;
  return undefined;
}

function duplicate(registration: Registration, present: Registration): PegboardError {
  return new PegboardError(
    "duplicate",
    `Tool "${registration.name}" is registered already by ${describeSource(present.source)}; ${describeSource(registration.source)} cannot register it too. Replace it with registerOrReplace, or give one of them another name`,
  );
}
