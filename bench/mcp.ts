import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { fileURLToPath } from "node:url";
import { attachMcpServer, createRuntime } from "../packages/pegboard/src/index.ts";
import { createLocalMcpPool } from "../packages/pegboard/src/node/mcp/local-pool.ts";
import { measure, median, ratio } from "./measure.ts";
import { type Report, toTime } from "./report.ts";

const SERVER = fileURLToPath(new URL("../packages/pegboard/test/fixtures/mcp/sdk-1-server.ts", import.meta.url));

/** What the wall adds to a call of an MCP server: the same server, called by the SDK's client and by a session. */
export async function mcp(): Promise<Report> {
  const server = { command: process.execPath, args: [SERVER] };
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ ...server, stderr: "ignore" }));
  await client.listTools();
  const pool = createLocalMcpPool();
  const runtime = createRuntime({ builtins: false, policy: { rules: [{ tool: "*", approval: "preApproved" }] } });
  const attached = attachMcpServer(runtime.tools, "calc", server, { pool });
  await attached.ready;
  if (attached.problem) throw new Error(attached.problem);
  const session = runtime.open();
  const measured = await measure([
    { name: "the client of the SDK", run: () => client.callTool({ name: "add", arguments: { a: 1, b: 2 } }) },
    {
      name: "a session of Pegboard",
      run: async () => {
        const { ok, error } = await session.call("calc__add", { a: 1, b: 2 });
        if (!ok) throw new Error(error!.message);
      },
    },
  ]);
  await client.close();
  await runtime.close();
  await pool[Symbol.asyncDispose]();
  const [direct, through] = measured;
  return {
    title: "mcp: one call of a server that is a program",
    table: [["", "time"], ...measured.map(({ name, ns }) => [name, toTime(median(ns))])],
    ratios: [{ name: "Pegboard / the client of the SDK", value: ratio(through, direct), target: 1.5 }],
  };
}
