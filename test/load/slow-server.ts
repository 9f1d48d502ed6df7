import { createRuntime, defineTool, memoryStore } from "pegboard";
import { serveAcpLines, serveMcpLines, serveNativeLines, startServer } from "pegboard/node";
import { scriptedModel } from "pegboard/testing";
import { TOKEN } from "./requests.ts";

/** A server of its own process, at one door, whose tools say more than any client should have to hear. */
const MEGABYTE = 1024 * 1024;
const text = "x".repeat(MEGABYTE);
const ready = { input: { type: "object" }, approval: "preApproved" } as const;
const LONG_MS = 3_000;

const megabyte = defineTool({ ...ready, name: "megabyte", description: "A megabyte of text", execute: () => text });
/** As much as a door of MCP gives back of a result at once. */
const long = defineTool({ ...ready, name: "long", description: "A long text", execute: () => text.slice(0, 100_000) });
const megabytes = defineTool({
  ...ready,
  name: "megabytes",
  description: "Has a megabyte said often",
  async execute(_, { call }) {
    for (let count = 1; count <= 256; count++) await call("megabyte", {});
    return "done";
  },
});
const echo = defineTool({
  ...ready,
  name: "echo",
  description: "Says it again",
  input: { type: "object", properties: { text: { type: "string" } } },
  execute: ({ text: said = "" }) => said,
});
const reports = defineTool({
  ...ready,
  name: "reports",
  description: "Reports as much as it can, for a while",
  async execute(_, { progress, signal }) {
    const end = performance.now() + LONG_MS;
    while (performance.now() < end && !signal.aborted) {
      // Each a text of its own, which nothing else keeps.
      for (let count = 0; count < 16; count++) progress(Buffer.alloc(4_000, `${count} `).toString("latin1"));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return "done";
  },
});
const logs = defineTool({
  ...ready,
  name: "logs",
  description: "Logs a gigabyte",
  async execute(_, { client }) {
    for (let count = 1; count <= 1_024; count++) {
      client?.log("info", `${count} ${text}`);
      if (count % 16 === 0) await new Promise((resolve) => setTimeout(resolve));
    }
    return "done";
  },
});

// What the log keeps is not what is meant here.
const store = memoryStore();
const forgetful = {
  ...store,
  append: (events: Parameters<typeof store.append>[0]) =>
    store.append(events.map((event) => (event.type === "call-progress" ? { ...event, data: { message: "" } } : event))),
};

const most = 2 * MEGABYTE;
const calls = 20_000;
const runtime = createRuntime({
  builtins: false,
  store: forgetful,
  tools: [megabyte, long, megabytes, echo, reports, logs],
  limits: { calls, resultCharacters: most, loggedCharacters: most },
  model: scriptedModel(
    Array.from({ length: 2_048 }, (_, turn) =>
      turn % 2 === 0 ? { calls: [{ tool: "megabyte", input: {} }] } : `Turn ${turn}`,
    ),
  ),
});
const lines = {
  input: process.stdin,
  work: calls,
  send: (line: string) => new Promise<void>((resolve) => void process.stdout.write(`${line}\n`, () => resolve())),
};
switch (process.argv[2]) {
  case "mcp":
    await serveMcpLines(runtime, { ...lines, resultCharacters: most });
    break;
  case "native":
    await serveNativeLines(runtime, lines);
    break;
  case "acp":
    await serveAcpLines(async () => runtime, lines);
    break;
  default: {
    const { port } = await startServer(runtime, { token: TOKEN, port: 0, work: calls, sessions: 2_000 });
    process.stdout.write(`${port}\n`);
    await new Promise(() => {});
  }
}
await runtime.close();
