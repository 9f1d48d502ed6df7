import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createRuntime, defineTool, type Session, type SessionOptions } from "pegboard";
import { toMcpServer } from "pegboard/mcp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type InstalledFolder, installPackages } from "../install.ts";

const CLI = fileURLToPath(new URL("./claude-cli.mjs", import.meta.url));
const ORDER = {
  type: "object",
  properties: {
    order: { type: "string", pattern: "^[A-Z]\\d$", description: "Its number", examples: ["A7"] },
    parcels: { type: "array", items: { type: "object", properties: { grams: { type: "integer", minimum: 1 } } } },
    by: { oneOf: [{ const: "lorry" }, { type: "object", properties: { ship: { enum: ["fast", "slow", null] } } }] },
  },
  required: ["order"],
  additionalProperties: false,
} as const;

/** As far as it is used here. */
interface Sdk {
  query(given: { prompt: AsyncIterable<unknown>; options: unknown }): AsyncIterable<{ type: string; result?: string }>;
}

let installed: InstalledFolder;
let sdk: Sdk;
beforeAll(async () => {
  // What is optional is the program itself, of 350 MB, for which a stand-in is used.
  installed = await installPackages("pegboard-claude-", ["@anthropic-ai/claude-agent-sdk@0.3.325", "--omit=optional"]);
  const entry = join(installed.folder, "node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs");
  sdk = (await import(pathToFileURL(entry).href)) as Sdk;
});
afterAll(() => installed.remove());

function open(options: SessionOptions = {}): Session {
  const ship = defineTool({
    name: "ship",
    description: "Ships an order",
    input: ORDER,
    approval: "ask",
    execute: ({ order }) => ({ shipped: order }),
  });
  return createRuntime({ builtins: false, tools: [ship] }).open(options);
}

/** Lets the SDK drive its program, which lists the tools of the session and calls `ship`; what that was told. */
async function drive(session: Session, input: object) {
  const over = Promise.withResolvers<void>();
  async function* prompt() {
    const content = JSON.stringify({ server: "shop", tool: "ship", input });
    yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "" };
    await over.promise;
  }
  const permissions: string[] = [];
  const options = {
    pathToClaudeCodeExecutable: CLI,
    executable: process.execPath,
    settingSources: [],
    mcpServers: { shop: { type: "sdk", name: "shop", instance: toMcpServer(session) } },
    async canUseTool(name: string, updatedInput: unknown) {
      permissions.push(name);
      return { behavior: "allow", updatedInput };
    },
  };
  for await (const { type, result } of sdk.query({ prompt: prompt(), options })) {
    if (type !== "result") continue;
    over.resolve();
    const told = JSON.parse(result!) as { tools: object[]; result: Record<string, unknown> };
    return { ...told, permissions };
  }
  throw new Error("The SDK ended without a result");
}

describe("the Claude Agent SDK with the server of a session", () => {
  test("shows its program the author's schema as it is, and carries the call and its result", async () => {
    const asked: string[] = [];
    const session = open({
      approver({ summary }) {
        asked.push(summary);
        return { decision: "allow" };
      },
    });
    const { tools, result, permissions } = await drive(session, { order: "A7", by: { ship: null } });
    expect(tools).toMatchObject([{ name: "ship", description: "Ships an order" }]);
    expect(tools).toEqual([expect.objectContaining({ inputSchema: ORDER })]);
    expect(result).toMatchObject({ structuredContent: { shipped: "A7" } });
    // Whoever has the SDK ask, policy asks besides.
    expect([permissions, asked]).toEqual([["mcp__shop__ship"], [`ship {"by":{"ship":null},"order":"A7"}`]]);
  });

  test("is told what policy refuses, although the SDK has allowed it", async () => {
    const { result } = await drive(open(), { order: "A7" });
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("needs approval") }] });
  });
});
