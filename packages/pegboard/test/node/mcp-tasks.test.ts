import { expect, it, onTestFinished } from "vitest";
import { attachMcpServer, type CallClient, createRuntime } from "../../src/index.ts";
import { createLocalMcpPool } from "../../src/node/index.ts";
import { complete, listenAlone, type LoneRequest, send } from "../fixtures/mcp/lone-server.ts";
import { until } from "../fixtures/mcp/place.ts";

const TASKS = "io.modelcontextprotocol/tasks";

/** A server that makes a task of every call, and the session of somebody who calls it. */
async function open(views: (asked: readonly LoneRequest[]) => object) {
  const asked: LoneRequest[] = [];
  const url = await listenAlone((request, response) => {
    const { id, method } = request;
    asked.push(request);
    const task = { taskId: "t-1", status: "working", ttlMs: 60_000, pollIntervalMs: 50 };
    if (method === "tools/call") return send(response, { id, result: { ...task, resultType: "task" } });
    return complete(response, id, method === "tasks/get" ? { ...task, ...views(asked) } : {});
  });
  const pool = createLocalMcpPool();
  const runtime = createRuntime({ builtins: false });
  onTestFinished(async () => {
    await runtime.close();
    await pool[Symbol.asyncDispose]();
  });
  await attachMcpServer(runtime.tools, "up", { url, type: "http" }, { pool }).ready;
  const methods = () => asked.map(({ method }) => method);
  return { session: runtime.open({ approve: "all" }), asked, methods };
}

function createPerson(more: Partial<CallClient> = {}): CallClient & { readonly let: unknown[] } {
  const gone: unknown[] = [];
  return {
    methods: ["elicitation/create"],
    comesBack: true,
    ask: async (key) => ({ action: "accept", content: { key } }),
    log() {},
    detach: () => gone.push("gone") > 0,
    let: gone,
    ...more,
  };
}

it("a task that a server makes of a call is followed to its end, and its client is let go", async () => {
  const { session, asked, methods } = await open((requests) =>
    requests.length < 4
      ? { statusMessage: "in the oven" }
      : { status: "completed", result: { content: [{ type: "text", text: "a cake" }] } },
  );
  const reports: unknown[] = [];
  session.listen((event) => event.type === "call-progress" && reports.push(event.data.message));
  const client = createPerson();
  const { content } = await session.call("up__go", {}, { client });
  expect(content).toEqual([{ type: "text", text: "a cake" }]);
  expect(client.let).toEqual(["gone"]);
  expect(reports).toEqual(["in the oven"]);
  expect(methods()).toEqual(["tools/call", "tasks/get", "tasks/get", "tasks/get"]);
  expect(asked[1]!.http.headers).toMatchObject({ "mcp-method": "tasks/get", "mcp-name": "t-1" });
});

it("a call says that a task may be made of it where somebody can wait for one", async () => {
  const { session, asked } = await open(() => ({ status: "completed", result: { content: [] } }));
  await session.call("up__go", {}, { client: createPerson() });
  await session.call("up__go", {});
  await session.call("up__go", {}, { client: createPerson({ comesBack: false }) });
  const announced = asked
    .filter(({ method }) => method === "tools/call")
    .map(({ params }) => params["_meta"]["io.modelcontextprotocol/clientCapabilities"].extensions);
  expect(announced).toEqual([{ [TASKS]: {} }, { [TASKS]: {} }, undefined]);
});

it("what a task asks is answered by the client of the call, once", async () => {
  const { session, asked, methods } = await open((requests) => {
    const { params } = requests.find(({ method }) => method === "tasks/update") ?? {};
    if (params)
      return { status: "completed", result: { content: [], structuredContent: params["inputResponses"] as object } };
    return {
      status: "input_required",
      inputRequests: { name: { method: "elicitation/create", params: { message: "Who are you?" } } },
    };
  });
  const { structured } = await session.call("up__go", {}, { client: createPerson() });
  expect(structured).toEqual({ name: { action: "accept", content: { key: "name" } } });
  expect(methods().filter((method) => method === "tasks/update")).toHaveLength(1);
  expect(asked.find(({ method }) => method === "tasks/update")!.params["taskId"]).toBe("t-1");
});

it("a task is cancelled where it runs when its call is, or when nobody can answer it", async () => {
  const question = { method: "elicitation/create", params: { message: "Who are you?" } };
  let inputRequests: object = {};
  const { session, methods } = await open(() => ({ inputRequests }));
  const control = new AbortController();
  const called = session.call("up__go", {}, { signal: control.signal });
  await until(() => methods().includes("tasks/get"));
  control.abort();
  expect((await called).error).toMatchObject({ code: "cancelled" });
  await until(() => methods().filter((method) => method === "tasks/cancel").length === 1);
  inputRequests = { name: question };
  expect((await session.call("up__go", {})).error).toMatchObject({ code: "unavailable" });
  await until(() => methods().filter((method) => method === "tasks/cancel").length === 2);
});

it("a task that fails is a failure with its reason, and one that was cancelled there is cancelled", async () => {
  let view: object = { status: "failed", error: { code: -32603, message: "The oven is broken" } };
  const { session, methods } = await open(() => view);
  expect((await session.call("up__go", {})).error).toMatchObject({
    code: "tool_error",
    message: expect.stringContaining("The oven is broken") as string,
    details: { mcp: -32603, task: "failed" },
  });
  view = { status: "cancelled", statusMessage: "The baker went home" };
  expect((await session.call("up__go", {})).error).toMatchObject({
    code: "cancelled",
    message: expect.stringContaining("The baker went home") as string,
  });
  expect(methods()).not.toContain("tasks/cancel");
});
