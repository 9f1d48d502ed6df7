import { text as readText } from "node:stream/consumers";
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { toSearchProvider } from "../../src/index.ts";
import type { WorkspaceOptions } from "../../src/node/index.ts";
import { send, serve, startProxy, type WebServer } from "./web-server.ts";
import { makeFolder } from "./workspace-folder.ts";

const KEYS = ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "BRAVE_API_KEY", "TAVILY_API_KEY"];

beforeEach(() => {
  for (const name of KEYS) vi.stubEnv(name, undefined);
});

afterEach(() => vi.unstubAllEnvs());

async function open(
  search?: Record<string, unknown>,
  { web, ...options }: WorkspaceOptions & { readonly web?: object } = {},
) {
  const config = { version: 1, ...(web && { web }), ...(search && { web_search: search }) };
  return (await makeFolder({ "pegboard.yaml": JSON.stringify(config) }).open({ approve: "all", ...options })).open();
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
      await (
        await open({ provider: "brave", url: server.url }, { trust: false })
      ).call("web_search", { query: "pegs" }),
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

const TOKEN = "tok_EXAMPLE_0123456789abcdef";
const secrets = { get: async (name: string) => (name === "search" ? TOKEN : undefined) };

/** What each service answers when it found one page, and where it looks for the key. */
const SERVICES = [
  {
    provider: "gemini",
    answer: {
      candidates: [
        {
          groundingMetadata: {
            groundingChunks: [{ web: { uri: PAGES[0]!.url, title: PAGES[0]!.title } }],
            groundingSupports: [{ segment: { text: PAGES[0]!.text }, groundingChunkIndices: [0] }],
          },
        },
      ],
    },
    keyIn: (headers: IncomingMessage["headers"]) => headers["x-goog-api-key"],
  },
  {
    provider: "brave",
    answer: { web: { results: [{ ...PAGES[0], description: PAGES[0]!.text }] } },
    keyIn: (headers: IncomingMessage["headers"]) => headers["x-subscription-token"],
  },
  {
    provider: "tavily",
    answer: { results: [{ ...PAGES[0], content: PAGES[0]!.text }] },
    keyIn: ({ authorization }: IncomingMessage["headers"]) => authorization?.replace("Bearer ", ""),
  },
];

describe("the key", () => {
  test.each(SERVICES)("of $provider can be a secret, which wins over the environment", async (service) => {
    const { provider, answer, keyIn } = service;
    for (const name of KEYS) vi.stubEnv(name, "of-the-environment");
    const server = await serveJson(answer);
    const session = await open({ provider, url: server.url, key: "secret://search" }, { secrets });
    expect(await session.call("web_search", { query: "pegs" })).toMatchObject({ ok: true, structured: [FOUND[0]] });
    expect(keyIn(server.asked[0]!.headers)).toBe(TOKEN);
  });

  test("that is not set is an error that says how to set it, and nothing is sent", async () => {
    vi.stubEnv("BRAVE_API_KEY", "of-the-environment");
    const server = await serveJson({});
    const session = await open({ provider: "brave", url: server.url, key: "secret://other" }, { secrets });
    expect(await session.call("web_search", { query: "pegs" })).toMatchObject({
      error: { code: "unavailable", message: expect.stringContaining("pegboard secret set other") },
    });
    expect(server.asked).toEqual([]);
  });

  test.each([
    ["a secret", { key: "secret://search" }, "[secret search]"],
    ["a variable", {}, "[secret TAVILY_API_KEY]"],
  ])("from %s is not in the result when the service repeats it, nor in the log", async (_, given, shown) => {
    vi.stubEnv("TAVILY_API_KEY", TOKEN);
    const server = await serve(({ headers }, response) =>
      send(response, `no such key: ${headers.authorization}`, "text/plain", 401),
    );
    const workspace = await makeFolder({
      "pegboard.yaml": JSON.stringify({ version: 1, web_search: { provider: "tavily", url: server.url, ...given } }),
    }).open({ approve: "all", secrets });
    const result = await workspace.open({ id: "s" }).call("web_search", { query: "pegs" });
    expect(result.error?.message).toContain(`no such key: Bearer ${shown}`);
    const events = await workspace.store.read({ session: "s" });
    expect(events.map(({ type }) => type)).toContain("call-end");
    expect(JSON.stringify([result, events])).not.toContain(TOKEN);
  });

  test.each([
    [{ provider: "brave", key: TOKEN }, "/web_search/key: must match ^secret://"],
    [{ provider: "brave", key: "secret://" }, "/web_search/key: must match ^secret://"],
    [{ provider: "searxng", url: "http://127.0.0.1/", key: "secret://search" }, "/web_search/key: is not allowed here"],
  ])(
    "that is no reference, or that nobody would use, is refused when the workspace opens: %j",
    async (search, message) => {
      await expect(open(search)).rejects.toMatchObject({
        code: "invalid_config",
        message: expect.stringContaining(message),
      });
      await expect(open(search)).rejects.not.toMatchObject({ message: expect.stringContaining(TOKEN) });
    },
  );
});

describe("the proxy of the configuration", () => {
  const SEARXNG = { provider: "searxng", answer: SERVICES[2]!.answer, keyIn: () => TOKEN };

  test.each([...SERVICES, SEARXNG])("leads to $provider by a tunnel to the address", async (service) => {
    const { provider, answer, keyIn } = service;
    const server = await serveJson(answer);
    const proxy = await startProxy();
    const key = provider === "searxng" ? {} : { key: "secret://search" };
    const session = await open({ provider, url: server.url, ...key }, { web: { proxy: proxy.url }, secrets });
    expect(await session.call("web_search", { query: "pegs" })).toMatchObject({ ok: true, structured: [FOUND[0]] });
    expect(proxy.asked).toEqual([`CONNECT ${server.host}`]);
    expect(server.asked).toHaveLength(1);
    expect(keyIn(server.asked[0]!.headers)).toBe(TOKEN);
  });

  test("gets neither the query nor the key when it does not connect, and is named in the error", async () => {
    const server = await serveJson({});
    const proxy = await startProxy(403);
    const session = await open({ provider: "searxng", url: server.url }, { web: { proxy: proxy.url } });
    expect(await session.call("web_search", { query: "pegs" })).toMatchObject({
      error: { code: "unavailable", message: expect.stringMatching(/web\.proxy\) did not connect .* answered 403/) },
    });
    expect(proxy.asked).toEqual([`CONNECT ${server.host}`]);
    expect(server.asked).toEqual([]);
  });

  test("is that of the environment only when the configuration says so", async () => {
    const server = await serveJson(SEARXNG.answer);
    const proxy = await startProxy();
    for (const name of ["http_proxy", "HTTP_PROXY"]) vi.stubEnv(name, proxy.url);
    for (const name of ["no_proxy", "NO_PROXY"]) vi.stubEnv(name, undefined);
    const search = async (web?: object) => {
      const session = await open({ provider: "searxng", url: server.url }, { ...(web && { web }) });
      return (await session.call("web_search", { query: "pegs" })).ok;
    };
    expect([await search(), proxy.asked]).toEqual([true, []]);
    expect([await search({ proxy: "env" }), proxy.asked]).toEqual([true, [`CONNECT ${server.host}`]]);
    vi.stubEnv("no_proxy", "127.0.0.1");
    expect([await search({ proxy: "env" }), proxy.asked.length]).toEqual([true, 1]);
  });
});

describe("what a provider finds", () => {
  test("is shown in one spelling, without what nobody sees, and no longer than can be read", async () => {
    const server = await serveJson({
      results: [
        { title: "no page", url: "not a url", content: "" },
        { title: "too long", url: `https://example.com/${"x".repeat(3_000)}`, content: "" },
        {
          title: `A\u001b[2J${"\u{1f600}".repeat(2_000)}`,
          url: "HTTPS://EXAMPLE.com/\n\u202ea b",
          content: "\u{e0041}c",
        },
      ],
    });
    const session = await open({ provider: "searxng", url: server.url });
    const { structured } = await session.call("web_search", { query: "pegs", maxResults: 1 });
    expect(structured).toEqual([
      { title: expect.stringMatching(/^A\\x1b\[2J/), url: "https://example.com/%E2%80%AEa%20b", snippet: "c" },
    ]);
    const [{ title }] = structured as [{ title: string }];
    expect([title.length < 2_100, title.isWellFormed()]).toEqual([true, true]);
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
    ).toMatchObject({ error: { code: "tool_error", message: expect.stringContaining("web_search.url") } });
    expect([server.requests.length, elsewhere.asked.length]).toEqual([1, 0]);
  });

  test("with more than can be read is told as such", async () => {
    const server = await serve((_, response) => send(response, `["${"x".repeat(3_000_000)}"]`, "application/json"));
    expect(
      await (await open({ provider: "searxng", url: server.url })).call("web_search", { query: "pegs" }),
    ).toMatchObject({ error: { code: "tool_error", message: expect.stringContaining("longer than 2097152 bytes") } });
  });
});

describe("a provider without a workspace", () => {
  const deps = { key: () => "the-key" };
  const search = (url: string) =>
    toSearchProvider({ provider: "brave", url }, deps)!.search("pegs", 5, AbortSignal.timeout(5_000));

  test("is asked by the platform's own fetch", async () => {
    const server = await serveJson(SERVICES[1]!.answer);
    expect(await search(server.url)).toMatchObject([{ title: "Page 0", url: PAGES[0]!.url }]);
    expect(server.asked[0]!.headers["x-subscription-token"]).toBe("the-key");
  });

  test("follows no redirect either, and says when nothing answers", async () => {
    const elsewhere = await serveJson({});
    const server = await serve((_, response) => response.writeHead(302, { location: elsewhere.url }).end());
    await expect(search(server.url)).rejects.toMatchObject({ code: "tool_error" });
    expect(elsewhere.asked).toHaveLength(0);
    await expect(search("http://127.0.0.1:1/")).rejects.toMatchObject({
      code: "unavailable",
      retryable: true,
      message: expect.stringContaining("http://127.0.0.1:1 could not be reached"),
    });
  });
});
