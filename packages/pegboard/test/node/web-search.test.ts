import { text as readText } from "node:stream/consumers";
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { send, serve, type WebServer } from "./web-server.ts";
import { makeFolder } from "./workspace-folder.ts";

const KEYS = ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "BRAVE_API_KEY", "TAVILY_API_KEY"];

beforeEach(() => {
  for (const name of KEYS) vi.stubEnv(name, undefined);
});

afterEach(() => vi.unstubAllEnvs());

async function open(search?: Record<string, unknown>, trust = true) {
  const config = { version: 1, ...(search && { web_search: search }) };
  return (await makeFolder({ "pegboard.yaml": JSON.stringify(config) }).open({ approve: "all", trust })).open();
}

interface Asked {
  readonly method: string | undefined;
  readonly url: URL;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
}

/** A server that answers with JSON and keeps what it was asked. */
async function serveJson(answer: unknown): Promise<WebServer & { readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = await serve((request, response) => void answerTo(request, response));
  async function answerTo(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request);
    asked.push({
      method: request.method,
      url: new URL(request.url!, "http://x"),
      headers: request.headers,
      body: body === "" ? undefined : JSON.parse(body),
    });
    send(response, JSON.stringify(answer), "application/json");
  }
  return { ...server, asked };
}

const PAGES = Array.from({ length: 8 }, (_, index) => ({
  title: `Page ${index}`,
  url: `https://example.com/${index}`,
  text: `About\n pegs ${index}`,
}));
const FOUND = PAGES.map(({ title, url }, index) => ({ title, url, snippet: `About pegs ${index}` }));

describe("web_search", () => {
  test("A0-30 without a provider it is an error that names the setting", async () => {
    const session = await open();
    expect(session.list().find(({ name }) => name === "web_search")).toMatchObject({
      approval: "ask",
      source: { kind: "builtin", id: "web" },
    });
    expect(await session.call("web_search", { query: "pegs" })).toMatchObject({
      ok: false,
      error: { code: "unavailable", message: expect.stringContaining("web_search.provider") },
    });
  });

  test.each([
    ["gemini", "GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY"],
    ["brave", "BRAVE_API_KEY"],
    ["tavily", "TAVILY_API_KEY"],
    ["searxng", "web_search.url"],
  ])("%s without what it needs is an error that names it", async (provider, needed) => {
    expect(await (await open({ provider })).call("web_search", { query: "pegs" })).toMatchObject({
      error: { code: "unavailable", message: expect.stringContaining(needed) },
    });
  });

  test("a provider that nobody knows is refused when the workspace opens", async () => {
    await expect(open({ provider: "askjeeves" })).rejects.toMatchObject({ code: "invalid_config" });
  });

  test("the provider of a workspace counts only when that is trusted: it would get the key", async () => {
    vi.stubEnv("BRAVE_API_KEY", "secret");
    const server = await serveJson({});
    expect(
      await (await open({ provider: "brave", url: server.url }, false)).call("web_search", { query: "pegs" }),
    ).toMatchObject({ error: { code: "unavailable" } });
    expect(server.asked).toHaveLength(0);
  });
});

describe("the wire format", () => {
  test("A0-30 of SearXNG", async () => {
    const server = await serveJson({
      query: "pegs",
      number_of_results: 0,
      results: PAGES.map(({ text, ...page }) => ({ ...page, content: text, engine: "x" })),
      answers: [],
    });
    const session = await open({ provider: "searxng", url: `${server.url}/sub` });
    const result = await session.call("web_search", { query: "pegs & boards" });
    expect(result).toMatchObject({
      ok: true,
      structured: FOUND.slice(0, 5),
      meta: { untrusted: true, provider: "searxng" },
    });
    expect(JSON.parse((result.content[0] as { text: string }).text)).toEqual(FOUND.slice(0, 5));
    expect((await session.call("web_search", { query: "pegs", maxResults: 2 })).structured).toEqual(FOUND.slice(0, 2));
    expect(server.asked[0]).toMatchObject({ method: "GET", body: undefined });
    expect(server.asked[0]!.url.pathname).toBe("/sub/search");
    expect(Object.fromEntries(server.asked[0]!.url.searchParams)).toEqual({ q: "pegs & boards", format: "json" });
  });

  test("A0-30 of Brave", async () => {
    vi.stubEnv("BRAVE_API_KEY", "the-key");
    const server = await serveJson({
      type: "search",
      web: {
        type: "search",
        results: PAGES.map(({ title, url, text }) => ({
          title: `<strong>${title}</strong>`,
          url,
          description: text.replace("pegs", "<strong>pegs</strong>"),
        })),
      },
    });
    const result = await (
      await open({ provider: "brave", url: `${server.url}/res/v1/web/search` })
    ).call("web_search", { query: "it's pegs", maxResults: 3 });
    expect(result.structured).toEqual(FOUND.slice(0, 3));
    expect(server.asked[0]).toMatchObject({
      method: "GET",
      headers: { "x-subscription-token": "the-key", accept: "application/json" },
    });
    expect(Object.fromEntries(server.asked[0]!.url.searchParams)).toEqual({
      q: "it's pegs",
      count: "3",
      text_decorations: "false",
    });
  });

  test("A0-30 of Tavily", async () => {
    vi.stubEnv("TAVILY_API_KEY", "the-key");
    const server = await serveJson({
      query: "pegs",
      answer: null,
      results: PAGES.map(({ title, url, text }) => ({ title, url, content: text, score: 0.9 })),
      response_time: 1,
    });
    expect(
      (
        await (
          await open({ provider: "tavily", url: `${server.url}/search` })
        ).call("web_search", { query: "pegs", maxResults: 4 })
      ).structured,
    ).toEqual(FOUND.slice(0, 4));
    expect(server.asked[0]).toMatchObject({
      method: "POST",
      headers: { authorization: "Bearer the-key", "content-type": "application/json" },
      body: { query: "pegs", max_results: 4 },
    });
  });

  test.each(["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"])(
    "A0-30 of Gemini's search grounding, with %s",
    async (name) => {
      vi.stubEnv(name, "the-key");
      const groundingMetadata = {
        webSearchQueries: ["pegs"],
        groundingChunks: [
          { web: { uri: "https://example.com/0", title: "example.com" } },
          { retrievedContext: {} },
          { web: { uri: "https://example.com/1", title: "example.org" } },
        ],
        groundingSupports: [
          {
            segment: { startIndex: 0, endIndex: 9, text: "A peg holds." },
            groundingChunkIndices: [0, 2],
            confidenceScores: [1, 1],
          },
          { segment: { text: "Boards hang." }, groundingChunkIndices: [2] },
        ],
      };
      const server = await serveJson({
        candidates: [{ content: { role: "model", parts: [{ text: "A peg holds. Boards hang." }] }, groundingMetadata }],
      });
      expect(
        (
          await (
            await open({ provider: "gemini", url: `${server.url}/v1beta`, model: "gemini-x" })
          ).call("web_search", { query: "what are pegs" })
        ).structured,
      ).toEqual([
        { title: "example.com", url: "https://example.com/0", snippet: "A peg holds." },
        { title: "example.org", url: "https://example.com/1", snippet: "A peg holds. Boards hang." },
      ]);
      const [{ method, url, headers, body }] = server.asked as [Asked];
      expect([method, url.pathname, url.search, headers["x-goog-api-key"]]).toEqual([
        "POST",
        "/v1beta/models/gemini-x:generateContent",
        "",
        "the-key",
      ]);
      expect(body).toEqual({
        contents: [{ role: "user", parts: [{ text: expect.stringContaining("what are pegs") }] }],
        tools: [{ googleSearch: {} }],
      });
    },
  );

  test.each([
    {},
    null,
    [],
    { results: null },
    { results: [null, 5, { title: 5, url: null }, { title: "x", url: "javascript:alert(1)", content: "y" }] },
  ])("an answer without results is an empty list: %j", async (answer) => {
    const server = await serveJson(answer);
    expect(
      await (await open({ provider: "searxng", url: server.url })).call("web_search", { query: "pegs" }),
    ).toMatchObject({ ok: true, structured: [] });
  });
});

describe("a provider that fails", () => {
  test.each([
    [401, "tool_error", 1],
    [403, "tool_error", 1],
    [429, "rate_limited", 3],
    [503, "unavailable", 3],
  ])("with %i is %s after %i attempts", async (status, code, attempts) => {
    const server = await serve((_, response) => send(response, "not today", "text/plain", status));
    expect(
      await (await open({ provider: "searxng", url: server.url })).call("web_search", { query: "pegs" }),
    ).toMatchObject({ error: { code, message: expect.stringContaining(`searxng answered ${status}:\nnot today`) } });
    expect(server.requests).toHaveLength(attempts);
  });

  test("with something that is not JSON says so", async () => {
    const server = await serve((_, response) => send(response, "<html>Log in", "text/html"));
    expect(
      await (await open({ provider: "searxng", url: server.url })).call("web_search", { query: "pegs" }),
    ).toMatchObject({ error: { code: "tool_error", message: expect.stringContaining("not JSON: <html>Log in") } });
  });

  test("with a redirect does not take the key elsewhere", async () => {
    vi.stubEnv("BRAVE_API_KEY", "the-key");
    const elsewhere = await serveJson({});
    const server = await serve((_, response) => response.writeHead(302, { location: elsewhere.url }).end());
    expect(
      await (await open({ provider: "brave", url: server.url })).call("web_search", { query: "pegs" }),
    ).toMatchObject({ error: { code: "unavailable" } });
    expect(elsewhere.asked).toHaveLength(0);
  });
});
