import { createRuntime, type Session } from "pegboard";
import { RULES, toTools } from "./peers/pegboard.ts";
import { toPlugins } from "./many-plugins.ts";
import { ANSWER, INPUT, toolName } from "./search-tool.ts";

/** What can be weighed. */
export type Subject = "tools" | "listed" | "mcp-tools" | "sessions" | "used-sessions" | "plugins";

/** By how many bytes the process grew. */
export interface Grown {
  readonly heap: number;
  readonly rss: number;
}

const TOOLS = 10_000;
const SESSIONS = 1_000;
const PLUGINS = 500;

const subject = process.argv[2] as Subject;

// The empty runtime, with what the subject needs loaded and used once.
const runtime = createRuntime({ policy: { rules: RULES } });
const session = runtime.open();
const first = runtime.tools.register(toTools(1));
await use(session);
if (subject !== "used-sessions") first[Symbol.dispose]();
const mcp = subject === "mcp-tools" ? await import("./peers/mcp-sdk-2.ts") : undefined;
await mcp?.connectMcp2(1);

/** Makes what the subject names, and returns what must stay alive for it. */
const MAKE: Readonly<Record<Subject, () => unknown>> = {
  tools: () => runtime.tools.register(toTools(TOOLS)),
  listed: () => [runtime.tools.register(toTools(TOOLS)), session.list()],
  "mcp-tools": () => mcp!.connectMcp2(TOOLS),
  sessions: () => openSessions(),
  "used-sessions": async () => {
    const opened = openSessions();
    for (const each of opened) await use(each);
    return opened;
  },
  plugins: () => runtime.plugins.add(...toPlugins(PLUGINS)),
};

const before = await weigh();
const alive = await MAKE[subject]();
const after = await weigh();
const grown: Grown = { heap: after.heap - before.heap, rss: after.rss - before.rss };
console.log(JSON.stringify(grown));
if (!alive) throw new Error("What was weighed is gone");

function openSessions(): Session[] {
  return Array.from({ length: SESSIONS }, () => runtime.open());
}

async function use(opened: Session): Promise<void> {
  const [block] = (await opened.call(toolName(0), INPUT)).content;
  if (block?.type !== "text" || block.text !== ANSWER) throw new Error("The call failed");
}

/** After two collections with a pause: the second takes what the first only found. */
async function weigh(): Promise<Grown> {
  for (let round = 0; round < 2; round++) {
    gc!();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed, rss };
}
