import { describe, expect, it } from "vitest";
import { defineTool } from "../../../src/index.ts";
import { connectClient, echo, ERAS, openStage, WAYS } from "./stage.ts";

const ways = ERAS.flatMap((era) => WAYS.map((way) => ({ era, way })));

describe.each(ways)("a client of the $era era, by $way", ({ era, way }) => {
  it("lists the tools and calls one", async () => {
    const stage = openStage();
    const client = await connectClient(stage, { era, way });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["danger", "echo"]);
    expect(tools[1]).toMatchObject({ description: "Says it again", inputSchema: echo.input });
    const result = await client.callTool({ name: "echo", arguments: { text: "hello" } });
    expect(result.content).toEqual([{ type: "text", text: "hello" }]);
    expect(result.isError).toBeUndefined();
    await client.close();
    await stage.close();
  });

  it("gets structured results as text too, of any form", async () => {
    const pair = defineTool({
      name: "pair",
      description: "Two numbers",
      input: { type: "object" },
      output: { type: "array", items: { type: "number" } },
      approval: "preApproved",
      execute: () => [1, 2],
    });
    const sum = defineTool({
      name: "sum",
      description: "Their sum",
      input: { type: "object" },
      output: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
      approval: "preApproved",
      execute: () => ({ sum: 3 }),
    });
    const stage = openStage({ tools: [pair, sum] });
    const client = await connectClient(stage, { era, way });
    await client.listTools();
    expect(await client.callTool({ name: "sum" })).toMatchObject({
      structuredContent: { sum: 3 },
      content: [{ type: "text", text: `{"sum":3}` }],
    });
    const { structuredContent, content } = await client.callTool({ name: "pair" });
    expect(structuredContent).toEqual(era === "modern" ? [1, 2] : { result: [1, 2] });
    expect(content).toEqual([{ type: "text", text: "[1,2]" }]);
    await client.close();
    await stage.close();
  });

  it("gets no structure that lacks what the text says, for clients that would show the model nothing else", async () => {
    const read = defineTool({
      name: "read",
      description: "Reads a page",
      input: { type: "object" },
      approval: "preApproved",
      execute: () => ({ content: [{ type: "text", text: "Once upon a time" }], structured: { page: 1 } }),
    });
    const told = defineTool({
      ...read,
      name: "told",
      execute: () => ({ content: [{ type: "text", text: '{ "page": 1 }' }], structured: { page: 1 } }),
    });
    const stage = openStage({ tools: [read, told] });
    const client = await connectClient(stage, { era, way });
    const { content, structuredContent, _meta } = await client.callTool({ name: "read" });
    expect([content, structuredContent]).toEqual([[{ type: "text", text: "Once upon a time" }], undefined]);
    expect(_meta).toMatchObject({ "pegboard/structured": { page: 1 } });
    expect(await client.callTool({ name: "told" })).toMatchObject({ structuredContent: { page: 1 } });
    await client.close();
    await stage.close();
  });

  it("takes a result that was cut as a failure where it was promised structure", async () => {
    const pages = defineTool({
      name: "pages",
      description: "Many pages",
      input: { type: "object" },
      output: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      approval: "preApproved",
      execute: () => ({ text: "x".repeat(2_000) }),
    });
    const stage = openStage({ tools: [pages] }, { resultCharacters: 1_000 });
    const client = await connectClient(stage, { era, way });
    await client.listTools();
    const { isError, content } = await client.callTool({ name: "pages" });
    expect(isError).toBe(true);
    expect(content.at(-1)).toEqual({ type: "text", text: expect.stringContaining("the first 1000 of") });
    await client.close();
    await stage.close();
  });

  it("reads what went wrong, with its code", async () => {
    const stage = openStage();
    const client = await connectClient(stage, { era, way });
    const result = await client.callTool({ name: "echo", arguments: {} });
    expect(result).toMatchObject({ isError: true, _meta: { "pegboard/error": { code: "invalid_input" } } });
    expect(result.content).toEqual([{ type: "text", text: expect.stringContaining("text") }]);
    await expect(client.callTool({ name: "ecko" })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(`Did you mean "echo"?`),
    });
    await client.close();
    await stage.close();
  });

  it("hears of progress", async () => {
    const count = defineTool({
      name: "count",
      description: "Counts",
      input: { type: "object" },
      approval: "preApproved",
      async execute(_, { progress }) {
        progress("half", { current: 5, total: 10 });
        progress("all", { current: 10, total: 10 });
        return "done";
      },
    });
    const stage = openStage({ tools: [count] });
    const client = await connectClient(stage, { era, way });
    const heard: unknown[] = [];
    await client.callTool({ name: "count" }, { onprogress: (report) => heard.push(report) });
    expect(heard[0]).toEqual({ progress: 5, total: 10, message: "half" });
    await client.close();
    await stage.close();
  });

  it("A4-13: cancels a call while it runs, and the tool sees it", async () => {
    const started = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const wait = defineTool({
      name: "wait",
      description: "Waits",
      input: { type: "object" },
      approval: "preApproved",
      execute: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          started.resolve();
          signal.addEventListener("abort", () => {
            aborted.resolve();
            reject(new Error("aborted"));
          });
        }),
    });
    const stage = openStage({ tools: [wait] });
    const client = await connectClient(stage, { era, way });
    const control = new AbortController();
    const calling = client.callTool({ name: "wait" }, { signal: control.signal });
    calling.catch(() => {});
    await started.promise;
    control.abort();
    await aborted.promise;
    await expect(calling).rejects.toThrow(/abort|cancel/i);
    await client.close();
    await stage.close();
  });
});
