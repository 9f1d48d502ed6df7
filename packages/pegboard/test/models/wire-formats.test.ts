import { describe, expect, test } from "vitest";
import type { Message, ModelRequest } from "../../src/core/model.ts";
import { ask, collect } from "./collect.ts";
import { type Answer, fakeProvider, type Format, FORMATS, KEY } from "./fake-provider.ts";

const ALL = Object.keys(FORMATS) as Format[];

const ADD = {
  name: "add",
  description: "Adds two numbers",
  input: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
};
const OUTPUT = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const PNG = "iVBORw0KGgo=";
const user = (...content: Extract<Message, { role: "user" }>["content"][number][]): Message => ({
  role: "user",
  content,
});

async function turn(format: Format, answer: Answer, request: Partial<ModelRequest> = {}) {
  const provider = await fakeProvider(format, [answer]);
  const model = await provider.models.resolve(provider.model);
  const parts = await collect(model, ask(request));
  return { provider, model, parts, sent: provider.requests[0]! };
}

describe.each(ALL)("%s", (format) => {
  test("an answer is its text and its end, with what it used", async () => {
    const usage = { input: 100, output: 20, cached: 60 };
    const { parts, sent } = await turn(format, { text: "Good morning", usage });
    expect(parts).toEqual([
      expect.objectContaining({ type: "text", text: "Good morning" }),
      { type: "end", reason: "stop", usage },
    ]);
    expect(JSON.stringify(sent.headers)).toContain(KEY);
    expect(JSON.stringify(sent.body)).toContain("You are brief.");
  });

  test("calls of one turn come whole and in order, also of a tool that was never offered", async () => {
    const { parts, sent } = await turn(
      format,
      {
        text: "Let me see",
        calls: [
          { id: "c1", tool: "add", arguments: '{"a": 1, "b": 2}' },
          { id: "c2", tool: "no_such_tool", arguments: "{}" },
        ],
      },
      { tools: [ADD], temperature: 0.5 },
    );
    expect(parts.slice(1)).toEqual([
      expect.objectContaining({ type: "call", id: "c1", tool: "add", input: { a: 1, b: 2 } }),
      expect.objectContaining({ type: "call", id: "c2", tool: "no_such_tool", input: {} }),
      { type: "end", reason: "calls", usage: { input: 0, output: 0 } },
    ]);
    expect(JSON.stringify(sent.body)).toContain(JSON.stringify(ADD.input));
  });

  test("an image goes along with the words", async () => {
    const { sent } = await turn(
      format,
      { text: "A cat" },
      { messages: [user({ type: "text", text: "What is it?" }, { type: "file", mimeType: "image/png", data: PNG })] },
    );
    const body = JSON.stringify(sent.body);
    expect(body).toContain(PNG);
    expect(body).toContain("What is it?");
  });

  test("a file of text goes as text, which every provider takes", async () => {
    const file = { type: "file", mimeType: "text/markdown", name: "notes.md", data: btoa("# Notes") } as const;
    const { sent } = await turn(format, { text: "Read" }, { messages: [user(file)] });
    expect(JSON.stringify(sent.body)).toContain(JSON.stringify("notes.md:\n\n# Notes").slice(1, -1));
  });

  test("an image in a result reaches the model as an image", async () => {
    const history: Message[] = [
      user({ type: "text", text: "Draw" }),
      { role: "assistant", content: [{ type: "call", id: "c1", tool: "draw", input: {} }] },
      {
        role: "tool",
        results: [
          {
            call: "c1",
            tool: "draw",
            ok: true,
            content: [
              { type: "text", text: "drawn" },
              { type: "image", data: PNG, mimeType: "image/png" },
            ],
          },
        ],
      },
    ];
    const { sent } = await turn(format, { text: "Nice" }, { messages: history, tools: [ADD] });
    const body = JSON.stringify(sent.body);
    expect(body).toContain("drawn");
    // Inside a text it would be quoted once more.
    expect(body).toMatch(/"(?:data|image_url|url)":"[^"\\]*iVBORw0KGgo="/);
  });

  test("a schema of the answer is asked for", async () => {
    const { model, sent } = await turn(format, { text: '{"city":"Bern"}' }, { output: OUTPUT });
    expect(model.structured).toBe(true);
    expect(sent.body).toMatchObject(STRUCTURED[format]);
  });

  test("how hard to think is said in the provider's words", async () => {
    const { sent } = await turn(format, { text: "42" }, { reasoningEffort: "low" });
    expect(sent.body).toMatchObject(EFFORT[format]);
  });

  test("an answer that is too long says so", async () => {
    const { parts } = await turn(format, { text: "And then", length: true });
    expect(parts.at(-1)).toMatchObject({ type: "end", reason: "length" });
  });

  test("an answer of nothing is an end and nothing else", async () => {
    const { parts } = await turn(format, {});
    expect(parts).toEqual([{ type: "end", reason: "stop", usage: { input: 0, output: 0 } }]);
  });
});

const STRUCTURED: Record<Format, object> = {
  google: { generationConfig: { responseMimeType: "application/json", responseJsonSchema: OUTPUT } },
  anthropic: { output_config: { format: { type: "json_schema", schema: OUTPUT } } },
  openai: { text: { format: { type: "json_schema", strict: false, schema: OUTPUT } } },
  "openai-chat": { response_format: { type: "json_schema", json_schema: { strict: false, schema: OUTPUT } } },
  ollama: { response_format: { type: "json_schema", json_schema: { schema: OUTPUT } } },
};

const EFFORT: Record<Format, object> = {
  google: { generationConfig: { thinkingConfig: { thinkingBudget: expect.any(Number) } } },
  anthropic: { thinking: { type: "enabled", budget_tokens: expect.any(Number) } },
  openai: { reasoning: { effort: "low" } },
  // This model does not think.
  "openai-chat": { model: "gpt-4.1" },
  ollama: { reasoning_effort: "low" },
};

test("OpenAI is told to bind an answer only to a schema that it can bind to", async () => {
  const closed = (properties: object) => ({
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  });
  const strict = async (output: object) => {
    const { sent } = await turn("openai", { text: "{}" }, { output: { ...output } });
    return (sent.body as { text: { format: { strict: boolean } } }).text.format.strict;
  };
  expect(await strict(closed({ a: { type: "array", items: closed({ b: { type: ["string", "null"] } }) } }))).toBe(true);
  expect(await strict(closed({ a: { type: "object" } }))).toBe(false);
  expect(await strict({ ...closed({ a: {}, b: {} }), required: ["a"] })).toBe(false);
  expect(await strict(closed({ a: { not: { type: "string" } } }))).toBe(false);
  expect(await strict({ type: "string" })).toBe(false);
});
