import { attachMcpServer, createRuntime, defineTool } from "../../packages/pegboard/src/index.ts";
import { createLocalMcpPool } from "../../packages/pegboard/src/node/mcp/local-pool.ts";
import { serveMcpLines } from "../../packages/pegboard/src/node/serve/mcp-lines.ts";
import { startServer } from "../../packages/pegboard/src/node/serve/server.ts";
import { RESULT, TOOL } from "./served-tool.ts";
import { tellWeight } from "./weight.ts";

/**
 * A server of ours: `http`, `http 1000` with so many tools, `stdio`, or `gateway <port>` whose tool is that of a server at
 * that port. Over HTTP it prints its port.
 */
const [, , way = "http", more = "1"] = process.argv;
const { name, description, inputSchema: input } = TOOL;
const tools = Array.from({ length: way === "gateway" ? 0 : Number(more) }, (_, index) =>
  defineTool({
    name: index === 0 ? name : `${name}_${index}`,
    description,
    input,
    approval: "preApproved",
    execute: () => RESULT,
  }),
);
const runtime = createRuntime({ builtins: false, tools, policy: { rules: [{ tool: "*", approval: "preApproved" }] } });
if (way === "gateway") {
  const server = { url: `http://127.0.0.1:${more}/mcp`, type: "http" } as const;
  await attachMcpServer(runtime.tools, "up", server, { pool: createLocalMcpPool() }).ready;
}
if (way === "stdio") {
  await serveMcpLines(runtime, {
    input: process.stdin,
    send: (line) => new Promise((resolve) => void process.stdout.write(`${line}\n`, () => resolve())),
  });
} else {
  const { port } = await startServer(runtime, { token: process.env["BENCH_TOKEN"]!, port: 0, bareNames: true });
  console.log(port);
  tellWeight();
}
