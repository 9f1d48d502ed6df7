import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Agent } from "@pegboard/contract";
import {
  createRuntime,
  definePlugin,
  defineTool,
  type OpenOptions,
  type RuntimeOptions,
  scriptedModel,
  type Tool,
} from "pegboard";
import { sqliteStore } from "pegboard/node";
import { describe, expect, onTestFinished, test, vi } from "vitest";

const HELPER: Agent = { name: "helper", description: "Helps", instructions: "You help." };

function tool(name: string, description: string): Tool {
  return defineTool({
    name,
    description,
    input: { type: "object", properties: { text: { type: "string", description: "x".repeat(400) } } },
    capabilities: ["read"],
    execute: () => `${name} was called`,
  }) as Tool;
}

const office = definePlugin({
  name: "office",
  version: "1.0.0",
  tools: [
    tool("send_mail", "Sends an email to one or more people"),
    tool("book_room", "Books a meeting room"),
    ...Array.from({ length: 60 }, (_, at) => tool(`report_${at}`, `Prints report number ${at}`)),
  ],
});

async function open(
  turns: Parameters<typeof scriptedModel>[0],
  options: RuntimeOptions = {},
  session: OpenOptions = {},
) {
  const model = scriptedModel(turns);
  const runtime = createRuntime({
    model,
    agents: [HELPER],
    tools: [tool("clock", "Tells the time")],
    policy: { rules: [{ tool: "office__*", approval: "preApproved" }] },
    limits: { toolTokens: 6_000 },
    ...options,
  });
  await runtime.plugins.add({ plugin: office });
  const told = (turn: number) => model.requests[turn]!.tools.map(({ name }) => name);
  return { model, told, session: runtime.open(session) };
}

const search = (query: string) => ({ calls: [{ tool: "tool_search", input: { query } }] });
const call = (name: string) => ({ calls: [{ tool: name, input: {} }] });

describe("tool search", () => {
  test("A2-49: past the budget a run has core tools, a catalogue and a search; what it finds it can call", async () => {
    const { session, told, model } = await open([
      search("email my colleagues"),
      call("office__send_mail"),
      { text: "Sent." },
    ]);
    const result = await session.run("helper", "Write to everybody").result;
    expect(result).toMatchObject({ status: "completed", text: "Sent." });
    expect(told(0)).toContain("clock");
    expect(told(0)).toContain("tool_search");
    expect(told(0).filter((name) => name.startsWith("office__"))).toEqual([]);
    expect(model.requests[0]!.tools.find(({ name }) => name === "tool_search")!.description).toContain("send_mail");
    expect(told(1)).toContain("office__send_mail");
    expect(told(1)).not.toContain("office__report_1");
    expect(JSON.stringify(model.requests[2]!.messages)).toContain("send_mail was called");
  });

  test("A2-49: what one run has found, the next has to find again", async () => {
    const { session, told } = await open([search("email"), { text: "Found." }, { text: "Not here." }]);
    await session.run("helper", "Find it").result;
    expect(told(1)).toContain("office__send_mail");
    await session.run("helper", "Go on").result;
    expect(told(2)).not.toContain("office__send_mail");
  });

  test("A2-49: a call of what was not found is refused with the way to it", async () => {
    const { session, model } = await open([call("office__book_room"), { text: "No." }]);
    await session.run("helper", "Book").result;
    expect(JSON.stringify(model.requests[1]!.messages)).toMatch(/book_room\\" is not loaded: call tool_search/);
  });

  test("all tools are told where they fit, and no search is offered", async () => {
    const { session, told } = await open([{ text: "Hello." }], { limits: { toolTokens: 100_000 } });
    await session.run("helper", "Hi").result;
    expect(told(0)).toContain("office__report_1");
    expect(told(0)).not.toContain("tool_search");
  });

  test("what an agent's file names it has from the beginning, and what its list leaves out it never finds", async () => {
    const agents: Agent[] = [{ ...HELPER, tools: ["office__book_room", "office__report_*"] }];
    const { session, told, model } = await open([search("email people"), { text: "Nothing." }], { agents });
    await session.run("helper", "Hi").result;
    expect(told(0)).toEqual(["office__book_room", "tool_search"]);
    expect(told(1)).not.toContain("office__send_mail");
    expect(JSON.stringify(model.requests[1]!.messages)).not.toContain("send_mail");
  });

  test("A2-49: a child of an agent with a list searches for itself, within that list", async () => {
    const agents: Agent[] = [
      { ...HELPER, name: "boss", tools: ["agent", "office__*"] },
      { ...HELPER, name: "worker" },
    ];
    const ask = { calls: [{ tool: "agent", input: { agent: "worker", prompt: "Send" } }] };
    const scripts = [
      { when: { prompt: "Go" }, turns: [ask, { text: "Done." }] },
      { when: { prompt: "Send" }, turns: [search("send email"), call("office__send_mail"), { text: "Sent." }] },
    ];
    const rules = ["office__*", "agent"].map((name) => ({ tool: name, approval: "preApproved" as const }));
    const { session, model } = await open({ scripts }, { agents, policy: { rules } });
    expect(await session.run("boss", "Go").result).toMatchObject({ status: "completed", text: "Done." });
    expect(JSON.stringify(model.requests.at(-1)!.messages)).toContain("Sent.");
    const told = model.requests.map(({ tools }) => tools.map(({ name }) => name));
    expect(told[1]).toEqual(["agent", "tool_search"]);
    expect(told[2]).toContain("office__send_mail");
  });

  test("a run that goes on in another process still has what it had found", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pegboard-search-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const start = async (identity: string, turns: Parameters<typeof scriptedModel>[0]) => {
      const store = sqliteStore(join(folder, "pegboard.db"));
      const process = { identity, isAlive: (other: string) => other === identity };
      return { store, ...(await open(turns, { store, process }, { id: "s" })) };
    };
    const first = await start("first", [search("email my colleagues"), { text: "Never.", delay: "1h" }]);
    const run = first.session.run("helper", "Write to everybody");
    await vi.waitFor(() => expect(first.model.requests).toHaveLength(2));
    const found = first.told(1);
    await first.store.close();
    first.session.cancel();
    expect(found).toContain("office__send_mail");

    const second = await start("second", [search("email"), call("office__send_mail"), { text: "Sent." }]);
    const result = await (await second.session.resume(run.id)).result;
    expect(result).toMatchObject({ status: "completed", text: "Sent." });
    expect(second.told(0)).toEqual(found);
    expect(JSON.stringify(second.model.requests[1]!.messages)).toContain("send_mail was called");
    await second.store.close();
  });
});
