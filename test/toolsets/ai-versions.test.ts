import { fromAiSdk } from "pegboard/ai-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hang } from "./hang.ts";
import { install, type Installed } from "./install.ts";

const rows = ["ai 4, zod 3", "ai 5, zod 3", "ai 5, zod 4", "ai 6, zod 3", "ai 6, zod 4"] as const;

describe.each(rows)("tool() of %s", (row) => {
  const version = Number(row.split(" ")[1]?.replace(",", ""));
  const field = version === 4 ? "parameters" : "inputSchema";
  let packages: Installed;
  let ai: Record<string, any>;
  let z: any;

  beforeAll(async () => {
    packages = await install(row);
    ai = await packages.load("ai");
    z = (await packages.load("zod"))["z"];
  });
  afterAll(() => packages?.remove());

  it("is that version's", () => {
    expect(["AssistantResponse" in ai, "ToolLoopAgent" in ai]).toEqual([version === 4, version === 6]);
    expect("_zod" in z.object({})).toBe(row.endsWith("zod 4"));
  });

  it("becomes a tool with its schema, its parsed input and its result", async () => {
    const schema = z.object({ days: z.number().max(9).describe("How many"), unit: z.enum(["C", "F"]).default("C") });
    const forecast = ai["tool"]({
      description: "Tells the weather",
      [field]: schema,
      execute: async (input: unknown) => input,
    });
    const { tools, skipped } = await fromAiSdk({ forecast });
    expect(skipped).toEqual([]);
    const session = hang(tools);
    expect(session.list()[0]).toMatchObject({
      name: "forecast",
      description: "Tells the weather",
      inputSchema: {
        type: "object",
        properties: { days: { type: "number", maximum: 9, description: "How many" }, unit: { enum: ["C", "F"] } },
        required: ["days"],
      },
    });
    expect(await session.call("forecast", { days: 3 })).toMatchObject({ ok: true, structured: { days: 3, unit: "C" } });
    expect((await session.call("forecast", { days: 70 })).error).toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("days"),
    });
  });

  it("may have a JSON Schema instead", async () => {
    const schema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
    const echo = ai["tool"]({ [field]: ai["jsonSchema"](schema), execute: ({ text }: { text: string }) => text });
    const { tools } = await fromAiSdk({ echo });
    expect(tools[0]?.input).toEqual(schema);
    expect((await hang(tools).call("echo", { text: "hi" })).content).toEqual([{ type: "text", text: "hi" }]);
  });

  it("says in its own version's words what the model reads", async () => {
    const conversions: Record<number, object> = {
      4: { experimental_toToolResultContent: (rows: number[]) => [{ type: "text", text: `${rows.length} rows` }] },
      5: { toModelOutput: (rows: number[]) => ({ type: "text", value: `${rows.length} rows` }) },
      6: { toModelOutput: ({ output }: { output: number[] }) => ({ type: "text", value: `${output.length} rows` }) },
    };
    const count = ai["tool"]({ [field]: z.object({}), execute: () => [1, 2, 3], ...conversions[version] });
    const { tools } = await fromAiSdk({ count });
    expect(await hang(tools).call("count", {})).toMatchObject({
      content: [{ type: "text", text: "3 rows" }],
      structured: [1, 2, 3],
    });
  });
});

describe("zod before 3.24, which had no Standard Schema", () => {
  let packages: Installed;
  beforeAll(async () => void (packages = await install("zod 3.23")));
  afterAll(() => packages?.remove());

  it("describes and parses the input of an old tool", async () => {
    const { z } = await packages.load("zod");
    const parameters = z.object({ days: z.number().max(9), unit: z.string().default("C") });
    expect("~standard" in parameters).toBe(false);
    const { tools } = await fromAiSdk({ forecast: { parameters, execute: (input: unknown) => input } });
    const session = hang(tools);
    expect(session.list()[0]?.inputSchema).toMatchObject({
      type: "object",
      properties: { days: { type: "number", maximum: 9 } },
      required: ["days"],
    });
    expect((await session.call("forecast", { days: 3 })).structured).toEqual({ days: 3, unit: "C" });
    expect((await session.call("forecast", { days: 70 })).error?.code).toBe("invalid_input");
  });
});
