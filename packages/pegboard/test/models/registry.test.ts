import { expect, test } from "vitest";
import { createModels, type ModelsOptions } from "../../src/models/registry.ts";
import { scriptedModel } from "../../src/models/scripted.ts";
import { ask, collect, failureOf } from "./collect.ts";
import { fakeProvider } from "./fake-provider.ts";

const failure = (name: string, options: ModelsOptions = {}) =>
  failureOf(createModels({ env: {}, ...options }).resolve(name));

test("A1-39 a model is named provider:model, split at the first colon", async () => {
  const models = createModels({ env: { GEMINI_API_KEY: "k" }, providers: { own: (name) => scriptedModel([name]) } });
  expect(await models.resolve("google:gemini-2.5-flash")).toMatchObject({
    id: "google:gemini-2.5-flash",
    structured: true,
    contextTokens: 1_048_576,
  });
  expect((await collect(await models.resolve("own:llama3.2:8b")))[0]).toMatchObject({ text: "llama3.2:8b" });
});

test("A1-39 an unknown provider is told with those that are known, and the nearest", async () => {
  const unknown = await failure("antropic:claude", { providers: { groq: { baseURL: "http://127.0.0.1/v1" } } });
  expect(unknown).toEqual({
    code: "invalid_config",
    retryable: false,
    message:
      'There is no provider "antropic" for the model "antropic:claude"; did you mean "anthropic"? (known: google, anthropic, openai, openai-chat, openai-compatible, ollama, lmstudio, groq)',
  });
  expect((await failure("toString:x")).message).toContain('no provider "toString"');
});

test.each([
  ["google:gemini-2.5-flash", "GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY or GOOGLE_API_KEY"],
  ["anthropic:claude-sonnet-4-5", "ANTHROPIC_API_KEY"],
  ["openai:gpt-5", "OPENAI_API_KEY"],
  ["openai-chat:gpt-5", "OPENAI_API_KEY"],
])("A1-39 %s without a key names %s", async (name, variables) => {
  expect(await failure(name)).toEqual({
    code: "invalid_config",
    retryable: false,
    message: `${name} needs a key: set ${variables} in the environment`,
  });
  expect(await failure(name, { env: { [variables]: "" } })).toMatchObject({ code: "invalid_config" });
});

test("a key is read each time, and whatever gives it may be asked", async () => {
  const env: Record<string, string> = {};
  const models = createModels({ env, providers: { anthropic: { apiKey: async () => "k" } } });
  expect(await failureOf(models.resolve("openai:gpt-5"))).toMatchObject({ code: "invalid_config" });
  env["OPENAI_API_KEY"] = "k";
  expect((await models.resolve("openai:gpt-5")).id).toBe("openai:gpt-5");
  expect((await models.resolve("anthropic:claude-sonnet-4-5")).id).toBe("anthropic:claude-sonnet-4-5");
});

test("what is no name says how models are named, and which alias is near", async () => {
  const { message } = await failure("smal", { aliases: { small: "google:gemini-2.5-flash-lite" } });
  expect(message).toContain('did you mean the alias "small"?');
  expect(message).toContain("provider:model, such as google:gemini-2.5-flash");
  expect((await failure("gpt-5")).message).toMatch(/"gpt-5" is no model: a model is named as .*; no aliases are set$/);
  for (const name of ["", ":", "google:", ":flash"])
    expect(await failure(name)).toMatchObject({ code: "invalid_config" });
});

test("inherit is for whoever runs an agent", async () => {
  expect((await failure("inherit")).message).toMatch(/"inherit" is the model of whoever runs an agent/);
});

test("an alias may lead to another, not in a circle", async () => {
  const own = { own: (name: string) => scriptedModel([name]) };
  const aliases = { fast: "small", small: "own:tiny", a: "b", b: "c", c: "b" };
  const models = createModels({ env: {}, aliases, providers: own });
  expect((await collect(await models.resolve("fast")))[0]).toMatchObject({ text: "tiny" });
  expect((await failureOf(models.resolve("a"))).message).toContain("leads in a circle (a → b → c → b)");
});

test("another provider that speaks OpenAI's format needs an address and nothing else", async () => {
  const server = await fakeProvider("ollama", [{ text: "Hi" }]);
  expect((await collect(await server.models.resolve(server.model)))[0]).toMatchObject({ text: "Hi" });
  const other = createModels({ env: {}, providers: { groq: { baseURL: "http://127.0.0.1:9/v1" } } });
  expect(await other.resolve("groq:llama")).toMatchObject({ id: "groq:llama", structured: false });
  expect(await failure("groq:llama", { providers: { groq: { apiKey: "k" } } })).toMatchObject({
    code: "invalid_config",
    message: expect.stringContaining('no provider "groq"'),
  });
  expect((await failure("openai-compatible:x")).message).toBe(
    "openai-compatible:x has no address: set OPENAI_COMPATIBLE_BASE_URL, or providers.openai-compatible.baseURL in pegboard.yaml",
  );
  expect((await failure("openai-compatible:x", { env: { OPENAI_COMPATIBLE_BASE_URL: "nowhere" } })).message).toContain(
    'The address of openai-compatible is no URL: "nowhere"',
  );
});

test.each([
  ["google:m", "GOOGLE_GENERATIVE_AI_BASE_URL", "google", "/v1/models/m:streamGenerateContent?alt=sse"],
  ["anthropic:m", "ANTHROPIC_BASE_URL", "anthropic", "/v1/messages"],
  ["openai:m", "OPENAI_BASE_URL", "openai", "/v1/responses"],
  ["openai-compatible:m", "OPENAI_COMPATIBLE_BASE_URL", "openai-chat", "/v1/chat/completions"],
  ["ollama:m", "OLLAMA_HOST", "ollama", "/v1/chat/completions"],
  ["lmstudio:m", "LMSTUDIO_BASE_URL", "ollama", "/v1/chat/completions"],
] as const)("%s is where %s says", async (name, variable, format, path) => {
  const { url, requests } = await fakeProvider(format, [{ text: "Hi" }]);
  // Ollama's variable has no scheme and no version, and Anthropic's is used without one too.
  const value = variable === "OLLAMA_HOST" ? new URL(url).host : name === "anthropic:m" ? new URL(url).origin : url;
  const env = { [variable]: value, GEMINI_API_KEY: "k", ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" };
  const model = await createModels({ env }).resolve(name);
  expect((await collect(model, ask()))[0]).toMatchObject({ text: "Hi" });
  expect(requests[0]!.path).toBe(path);
});

test("A3-42 tokens cost what the table or the operator says, and an unknown model is not guessed", () => {
  const usage = { input: 1_000_000, output: 100_000 };
  const models = createModels({
    env: {},
    aliases: { small: "google:gemini-2.5-flash-lite" },
    prices: { "groq:llama": { input: 1, output: 2 }, "openai:gpt-5": { input: 0, output: 0 } },
  });
  expect(models.cost("google:gemini-2.5-flash", usage)).toBeCloseTo(0.3 + 0.25);
  expect(models.cost("small", usage)).toBeCloseTo(0.1 + 0.04);
  expect(models.cost("groq:llama", usage)).toBeCloseTo(1.2);
  expect(models.cost("openai:gpt-5", usage)).toBe(0);
  for (const local of ["ollama:llama3.2", "lmstudio:qwen", "scripted:demo.yaml"])
    expect(models.cost(local, usage)).toBe(0);
  for (const unknown of ["google:gemini-99", "groq:mixtral", "mock-provider:x", "nonsense"])
    expect(models.cost(unknown, usage)).toBeUndefined();
});
