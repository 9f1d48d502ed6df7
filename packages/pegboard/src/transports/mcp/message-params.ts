/** By what a request and its answer are told from others. */
export type RpcId = string | number;

/** What a value must be, in words, where it is something else. */
type Check = (value: unknown) => string | undefined;

/** How much a log message matters, the least first. */
export const LEVELS: readonly string[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** What methods must be given, and of which kind: what is wrong with it the SDK would call a defect of its own. */
const PARAMS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  initialize: {
    protocolVersion: text,
    capabilities: objectOfObjects,
    clientInfo: (value) => (isRecord(value) && !(text(value["name"]) ?? text(value["version"])) ? undefined : NAMED),
  },
  "tools/list": { cursor: maybe(text) },
  "tools/call": { name: text, arguments: maybe(object) },
  "prompts/list": { cursor: maybe(text) },
  "prompts/get": { name: text, arguments: maybe(object) },
  "resources/list": { cursor: maybe(text) },
  "resources/templates/list": { cursor: maybe(text) },
  "resources/read": { uri: text },
  "completion/complete": { ref: object, argument: object },
  "logging/setLevel": {
    level: (value) => (LEVELS.includes(value as string) ? undefined : `one of ${LEVELS.join(", ")}`),
  },
};

const FIELDS = new Map(Object.entries(PARAMS).map(([method, fields]) => [method, Object.entries(fields)]));

/** The methods that only the old era has. */
const REMOVED: ReadonlySet<string> = new Set(["initialize", "logging/setLevel"]);
/** Under which a message of the new era names its revision. */
const PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion";

const NAMED = "an object with the texts name and version";

/** What is wrong with the parameters of a method; undefined when nothing is that can be seen before it is carried out. */
export function paramsProblem(method: string, params: unknown): string | undefined {
  if (!isRecord(params)) return `"params" must be an object`;
  const { _meta: meta = {} } = params;
  if (!isRecord(meta)) return `"_meta" must be an object`;
  const { progressToken } = meta;
  if (progressToken !== undefined && !isId(progressToken)) return `"progressToken" must be a text or a whole number`;
  // What the new era no longer knows is unknown there, whatever it is given.
  const isGone = REMOVED.has(method) && meta[PROTOCOL_VERSION] !== undefined;
  const fields = isGone ? undefined : FIELDS.get(method);
  if (fields)
    for (const [name, check] of fields) {
      const kind = check(params[name]);
      if (kind !== undefined) return `"${name}" must be ${kind}`;
    }
  return undefined;
}

/** Whether a value can be the id of a request. */
export function isId(id: unknown): id is RpcId {
  return typeof id === "string" || Number.isSafeInteger(id);
}

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? undefined : "a text";
}

function object(value: unknown): string | undefined {
  return isRecord(value) ? undefined : "an object";
}

function objectOfObjects(value: unknown): string | undefined {
  return isRecord(value) && Object.values(value).every(isRecord) ? undefined : "an object of objects";
}

function maybe(check: Check): Check {
  return (value) => (value === undefined ? undefined : check(value));
}
