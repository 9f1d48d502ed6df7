import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRedactor } from "../../src/core/redact.ts";
import { describeProviders, type ModelSettings, workspaceModels } from "../../src/node/models.ts";
import { ask, collect, failureOf } from "../models/collect.ts";
import { fakeProvider, KEY } from "../models/fake-provider.ts";

function open(settings: ModelSettings = {}, env: Record<string, string> = {}, files: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "pegboard-models-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const redactor = createRedactor();
  const secrets = { get: async (name: string) => (name === "groq" ? KEY : undefined) };
  return { folder, redactor, models: workspaceModels(settings, { folder, env, secrets, redactor }) };
}

test("scripted:FILE plays a script of the workspace, as the file is now", async () => {
  const { models, folder } = open({ aliases: { demo: "scripted:demo.yaml" } }, {}, { "demo.yaml": "- Hello\n" });
  const model = await models.resolve("demo");
  expect(model.id).toBe("scripted:demo.yaml");
  expect((await collect(model))[0]).toMatchObject({ text: "Hello" });
  writeFileSync(join(folder, "demo.yaml"), "- Goodbye\n");
  expect((await collect(await models.resolve("demo")))[0]).toMatchObject({ text: "Goodbye" });
  expect(models.cost("demo", { input: 5, output: 5 })).toBe(0);
});

test("a script that is not there, or wrong, is told with its file", async () => {
  const { models, folder } = open({}, {}, { "wrong.yaml": "- txt: Hello\n" });
  expect(await failureOf(models.resolve("scripted:none.yaml"))).toMatchObject({
    code: "invalid_config",
    message: expect.stringContaining(join(folder, "none.yaml")),
  });
  expect(await failureOf(models.resolve("scripted:wrong.yaml"))).toMatchObject({
    code: "invalid_config",
    message: expect.stringContaining(`${join(folder, "wrong.yaml")}:1:3: /0: unknown key "txt"`),
  });
});

test("a key is a secret or a variable, and no message has it", async () => {
  const { url, requests } = await fakeProvider("ollama", [
    { text: "Hi" },
    { status: 500, body: { error: { message: KEY } } },
  ]);
  const { models, redactor } = open({ providers: { groq: { baseURL: url, apiKey: "secret://groq" } } });
  const model = await models.resolve("groq:llama");
  await collect(model);
  expect(requests[0]!.headers.authorization).toBe(`Bearer ${KEY}`);
  expect(redactor.text(`the key is ${KEY}`)).not.toContain(KEY);
  expect((await failureOf(collect(model, ask()))).message).toContain("[secret]");

  const settings = { providers: { groq: { baseURL: url, apiKey: "${GROQ_KEY}" } } };
  await collect(await open(settings, { GROQ_KEY: "of-the-environment" }).models.resolve("groq:llama")).catch(() => {});
  expect(requests.at(-1)!.headers.authorization).toBe("Bearer of-the-environment");
});

test("A1-39 a key that its setting names and that is not there says what to set", async () => {
  const missing = async (apiKey: string) =>
    failureOf(open({ providers: { groq: { baseURL: "http://127.0.0.1:9/v1", apiKey } } }).models.resolve("groq:x"));
  expect(await missing("secret://none")).toMatchObject({
    code: "invalid_config",
    message: expect.stringContaining("pegboard secret set none"),
  });
  expect(await missing("${GROQ_KEY}")).toMatchObject({
    code: "invalid_config",
    message: expect.stringContaining("GROQ_KEY is not set"),
  });
});

test("providers are described by what is set, without asking any", () => {
  const settings = { providers: { anthropic: { apiKey: "secret://a" }, own: { apiKey: "k" } } };
  const views = new Map(describeProviders(settings, {}).map((view) => [view.provider, view]));
  expect(views.get("anthropic")).toEqual({ provider: "anthropic", ready: true, from: "pegboard.yaml" });
  expect(views.get("openai")).toEqual({ provider: "openai", ready: false, missing: ["OPENAI_API_KEY"] });
  expect(views.get("ollama")).toEqual({ provider: "ollama", ready: true, from: "http://127.0.0.1:11434/v1" });
  expect(views.get("own")).toEqual({ provider: "own", ready: false, missing: ["providers.own.baseURL"] });
});
