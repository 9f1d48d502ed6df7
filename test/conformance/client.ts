import { attachMcpServer, type CallClient, createMcpPool, createRuntime, type Json, type JsonSchema } from "pegboard";

/**
 * The client that the official suite starts, with the address of its server as the last argument: our source hangs the
 * tools of that server on a board, and a session calls each of them once.
 */
const url = process.argv.at(-1)!;
const { toolCalls } = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as { toolCalls?: readonly ToolCall[] };

interface ToolCall {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, Json>>;
}

/** A person who accepts every form as it is. */
const ACCEPTING: CallClient = {
  methods: ["elicitation/create"],
  async ask(_key, _method, params) {
    const { requestedSchema } = Object(params) as { requestedSchema?: JsonSchema };
    return { action: "accept", content: toExample(requestedSchema ?? {}) };
  },
  log() {},
  comesBack: false,
  detach: () => false,
};

const EXAMPLES: Readonly<Record<string, Json>> = { number: 5, integer: 5, boolean: true, object: {}, array: [] };

const runtime = createRuntime({ builtins: false, policy: { rules: [{ toolset: "suite", approval: "preApproved" }] } });
const pool = createMcpPool();
const attached = attachMcpServer(runtime.tools, "suite", { url, type: "http" }, { pool });
await attached.ready;
if (attached.problem !== undefined) throw new Error(attached.problem);
const session = runtime.open();
const listed = session.list();
const calls =
  toolCalls?.map(({ name, arguments: given = {} }) => ({ name: `suite__${name}`, input: withoutNulls(given) })) ??
  listed.map(({ name, inputSchema }) => ({ name, input: toExample(inputSchema) }));
for (const { name, input } of calls) {
  const { error } = await session.call(name, input, { client: ACCEPTING });
  if (error) console.error(`${name}: ${error.message}`);
}
attached[Symbol.dispose]();
await runtime.close();
await pool[Symbol.asyncDispose]();

/** An input with a value for every property of a schema: its default, or one of its type. */
function toExample(schema: JsonSchema): Json {
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>);
  return Object.fromEntries(properties.map(([name, property]) => [name, toValue(name, property)]));
}

function toValue(name: string, { default: usual, type }: JsonSchema): Json {
  if (usual !== undefined) return usual as Json;
  // One scenario wants to see the schema that was listed.
  if (name === "schema") return listed[0]!.inputSchema as Json;
  return EXAMPLES[String(type)] ?? "text";
}

function withoutNulls(given: Readonly<Record<string, Json>>): Json {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}
