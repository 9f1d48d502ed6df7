import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { createModels } from "../../src/models/registry.ts";
import { collect, failureOf } from "./collect.ts";
import { type Answer, fakeProvider, type Format, FORMATS, KEY } from "./fake-provider.ts";
import { errorOf, refusal } from "./wire/refusal.ts";

const ALL = Object.keys(FORMATS) as Format[];

async function failure(format: Format, answer: Answer) {
  const { models, model } = await fakeProvider(format, [answer]);
  return failureOf(collect(await models.resolve(model)));
}

describe.each(ALL)("%s", (format) => {
  const { model } = FORMATS[format];

  test("too many requests are limited for now, for as long as the provider says", async () => {
    const limited = (headers?: Record<string, string>) =>
      failure(format, refusal(format, 429, "slow down", headers && { headers }));
    expect(await limited({ "retry-after": "7" })).toEqual({
      code: "rate_limited",
      retryable: true,
      message: `${model} takes no more requests for now (429): slow down`,
      details: { status: 429, retryAfterMs: 7_000 },
    });
    expect(await limited({ "retry-after-ms": "250", "retry-after": "7" })).toMatchObject({
      details: { retryAfterMs: 250 },
    });
    expect(await limited()).toMatchObject({ retryable: true, details: { status: 429 } });
    const { details } = await limited({ "retry-after": new Date(Date.now() + 60_000).toUTCString() });
    const { retryAfterMs } = details as { retryAfterMs: number };
    expect(retryAfterMs).toBeGreaterThan(30_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  });

  test.each([500, 502, 503, 529, 408, 409])("%i can pass", async (status) => {
    expect(await failure(format, refusal(format, status, "not now"))).toMatchObject({
      code: "unavailable",
      retryable: true,
      message: expect.stringContaining(`${model} cannot answer now (${status}): not now`),
    });
  });

  test("a page in place of an error is told by its status", async () => {
    const page = { status: 502, body: "<html>Bad gateway</html>", headers: { "content-type": "text/html" } };
    expect(await failure(format, page)).toMatchObject({ code: "unavailable", retryable: true });
  });

  test("a refused key names its variable and never the key", async () => {
    for (const status of [401, 403]) {
      const refused = await failure(format, refusal(format, status, `Incorrect key: ${KEY}`));
      expect(refused).toMatchObject({ code: "invalid_config", retryable: false });
      expect(refused.message).toMatch(/[A-Z]+_API_KEY/);
      expect(JSON.stringify(refused)).not.toContain(KEY);
    }
  });

  test("no other message has the key either", async () => {
    const { message } = await failure(format, refusal(format, 500, `Bad request with ${KEY}`));
    expect(message).toContain("Bad request with [secret]");
  });

  test("a model that the provider does not know is a matter of configuration", async () => {
    expect(await failure(format, refusal(format, 404, "model not found"))).toMatchObject({
      code: "invalid_config",
      retryable: false,
      message: `${model} is not known to its provider (404): model not found`,
    });
  });

  test("a request that is refused is not tried again", async () => {
    expect(await failure(format, refusal(format, 400, "no such field"))).toEqual({
      code: "invalid_input",
      retryable: false,
      message: `${model} refuses the request (400): no such field`,
      details: { status: 400 },
    });
  });

  test("an answer that breaks off is a failure that can pass", async () => {
    for (const cut of ["socket", "clean"] as const)
      for (const answer of [{ text: "Good mor", cut }, { cut }])
        expect(await failure(format, answer), JSON.stringify(answer)).toMatchObject({
          code: "unavailable",
          retryable: true,
          message: expect.stringMatching(
            cut === "socket"
              ? /^The answer of \S+ broke off: .*\(UND_ERR_SOCKET\)$/
              : /^The answer of \S+ (was cut|broke) off/,
          ),
        });
  });

  test("an answer that is not JSON is a failure that can pass", async () => {
    for (const text of ["Good morning", ""])
      expect(await failure(format, { text, garbled: true }), text).toMatchObject({
        code: "unavailable",
        retryable: true,
      });
  });

  test("an error in the middle of an answer is that error", async () => {
    const instead = errorOf(format, 503, "overloaded", format === "anthropic" ? "overloaded_error" : undefined);
    expect(await failure(format, { text: "Good mor", instead })).toMatchObject({
      code: "unavailable",
      retryable: true,
      message: expect.stringContaining("overloaded"),
    });
  });

  test("a redirect is not followed: the key would go along", async () => {
    const elsewhere = await fakeProvider(format, [{ text: "Hi" }]);
    const redirect = { status: 307, headers: { location: `${elsewhere.url}/else` } };
    expect(await failure(format, redirect)).toMatchObject({ code: "unavailable" });
    expect(elsewhere.requests).toEqual([]);
  });

  test("one that says nothing, or nothing more, ends when it is cancelled", async () => {
    for (const answer of [{ hang: true }, { text: "Good mor", cut: "never" }] as const) {
      const { models, model: name } = await fakeProvider(format, [answer]);
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 50);
      const turn = collect(await models.resolve(name), undefined, stop.signal);
      expect(await failureOf(turn)).toMatchObject({ code: "cancelled", retryable: false });
    }
  });
});

test("a request that is too long says so, by code or in the provider's words", async () => {
  const tooLong: [Format, Answer][] = [
    ["openai", refusal("openai", 400, "too many tokens", { code: "context_length_exceeded" })],
    ["openai-chat", refusal("openai-chat", 400, "too many tokens", { code: "context_length_exceeded" })],
    ["anthropic", refusal("anthropic", 400, "prompt is too long: 210000 tokens > 200000 maximum")],
    ["anthropic", refusal("anthropic", 413, "Request exceeds the maximum size")],
    ["google", refusal("google", 400, "The input token count (1200000) exceeds the maximum number of tokens allowed")],
    ["ollama", refusal("ollama", 400, "the request exceeds the available context size, try increasing it")],
  ];
  for (const [format, answer] of tooLong)
    expect(await failure(format, answer), JSON.stringify(answer)).toMatchObject({
      code: "invalid_input",
      retryable: false,
      details: { contextLength: true },
    });
});

test("Gemini says in the body how long to wait, and calls a wrong key a bad request", async () => {
  const wait = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.5s" }];
  expect(await failure("google", refusal("google", 429, "quota", { details: wait }))).toMatchObject({
    code: "rate_limited",
    details: { retryAfterMs: 34_500 },
  });
  const wrongKey = [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }];
  expect(await failure("google", refusal("google", 400, "API key not valid", { details: wrongKey }))).toMatchObject({
    code: "invalid_config",
    message: expect.stringContaining("GEMINI_API_KEY"),
  });
});

test("Gemini gives up on a call that it could not write, which can pass", async () => {
  const instead = { candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL", index: 0 }] };
  expect(await failure("google", { instead })).toMatchObject({
    code: "unavailable",
    retryable: true,
    message: expect.stringContaining("MALFORMED_FUNCTION_CALL"),
  });
});

test("no credit is not worth another try", async () => {
  const used = refusal("openai", 429, "You exceeded your quota", { code: "insufficient_quota" });
  expect(await failure("openai", used)).toMatchObject({ code: "rate_limited", retryable: false });
  expect(await failure("ollama", refusal("ollama", 402, "Pay first"))).toMatchObject({
    code: "rate_limited",
    retryable: false,
  });
});

test("a provider that is not there can come back", async () => {
  const gone = createServer().listen(0, "127.0.0.1");
  await once(gone, "listening");
  const { port } = gone.address() as AddressInfo;
  await new Promise((closed) => gone.close(closed));
  const models = createModels({ env: { OLLAMA_HOST: `127.0.0.1:${port}` } });
  expect(await failureOf(collect(await models.resolve("ollama:llama3.2")))).toMatchObject({
    code: "unavailable",
    retryable: true,
    message: expect.stringMatching(/^ollama:llama3.2 failed: .*ECONNREFUSED/),
  });
});
