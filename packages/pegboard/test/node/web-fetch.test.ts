import { describe, expect, test } from "vitest";
import { makeFolder } from "./workspace-folder.ts";
import { fetchFrom, noteOf, openWeb, send, serve, textOf } from "./web-server.ts";

const PAGE = `<!doctype html><title>Pegs</title><style>p { color: red }</style><script>alert("no")</script>
<nav>Menu</nav><p>One &amp; <b>two</b> <a href="/three">three</a></p>`;

describe("web_fetch", () => {
  test("A0-26 plain text passes as it is", async () => {
    const text = "a  b\n\n<b>not a tag</b> &amp; $&";
    const result = await fetchFrom((_, response) => send(response, text, "text/plain"));
    expect(result).toMatchObject({
      ok: true,
      content: [{ type: "text", text }],
      meta: { kind: "web_page", untrusted: true, status: 200, characters: text.length },
    });
  });

  test("A0-26 an HTML page loses its scripts, styles, tags and navigation", async () => {
    const result = await fetchFrom((_, response) => send(response, PAGE));
    expect(textOf(result)).toBe("Pegs\n\nOne & two three");
    expect(result.meta).toMatchObject({ title: "Pegs" });
  });

  test("an HTML page becomes Markdown with absolute links, or stays what it is", async () => {
    const { server, ...markdown } = await fetchFrom((_, response) => send(response, PAGE), { format: "markdown" });
    expect(textOf(markdown)).toBe(`# Pegs\n\nOne & **two** [three](${server.url}/three)`);
    expect(textOf(await fetchFrom((_, response) => send(response, PAGE), { format: "html" }))).toBe(PAGE);
  });

  test("A0-26 a page that is longer than maxLength is cut, and says how much was kept and how to read on", async () => {
    const letters = Array.from({ length: 1_000 }, (_, index) => String.fromCharCode(97 + (index % 26))).join("");
    const server = await serve((_, response) => send(response, letters, "text/plain"));
    const session = await openWeb([server]);
    const first = await session.call("web_fetch", { url: server.url, maxLength: 400 });
    expect(textOf(first)).toBe(letters.slice(0, 400));
    expect(noteOf(first)).toBe(
      "[cut: characters 0 to 400 of 1000 are shown, 40 % of the page; read on with offset 400]",
    );
    const last = await session.call("web_fetch", { url: server.url, maxLength: 600, offset: 400 });
    expect(textOf(first) + textOf(last)).toBe(letters);
    expect(noteOf(last)).toBe("[cut: characters 400 to 1000 of 1000 are shown, 60 % of the page; this is the end]");
    expect(await session.call("web_fetch", { url: server.url, offset: 1_000 })).toMatchObject({
      error: { code: "invalid_input", message: expect.stringContaining("1000 characters") },
    });
  });

  test("by default 50,000 characters are kept, and a character is never cut in two", async () => {
    const result = await fetchFrom((_, response) => send(response, `a${"🪵".repeat(40_000)}`, "text/plain"));
    expect(textOf(result)).toHaveLength(50_001);
    expect(textOf(result).isWellFormed()).toBe(true);
    expect(noteOf(result)).toContain("offset 50001");
  });

  test("asks before it goes anywhere, and shows where it would go", async () => {
    const server = await serve((_, response) => send(response, "hello", "text/plain"));
    const folder = makeFolder({ "pegboard.yaml": JSON.stringify({ version: 1, web: { allow: [server.host] } }) });
    const session = (await folder.open({ approver: ({ summary }) => ({ decision: "deny", note: summary }) })).open();
    expect(await session.call("web_fetch", { url: `${server.url}/a` })).toMatchObject({
      error: { code: "denied", message: expect.stringContaining(`Fetch ${server.url}/a`) },
    });
    expect(server.requests).toHaveLength(0);
  });

  test("what a workspace allows counts only when it is trusted", async () => {
    const server = await serve((_, response) => send(response, "hello", "text/plain"));
    const session = await openWeb([server], {}, { trust: false });
    expect(await session.call("web_fetch", { url: server.url })).toMatchObject({ error: { code: "blocked" } });
    expect(server.requests).toHaveLength(0);
  });

  test("an allowed host with a port is allowed at that port alone, and its other names are not", async () => {
    const server = await serve((_, response) => send(response, "hello", "text/plain"));
    const session = await openWeb([server]);
    for (const url of [
      server.url.replace("127.0.0.1", "localhost"),
      "http://127.0.0.1/",
      server.url.replace("127.0.0.1", "127.0.0.2"),
    ]) {
      expect(await session.call("web_fetch", { url })).toMatchObject({ error: { code: "blocked" } });
    }
    expect(server.requests).toHaveLength(0);
  });

  test("a host that is allowed by name is reached at the ports that are open", async () => {
    const server = await serve((_, response) => send(response, "hello", "text/plain"));
    const port = Number(server.host.split(":")[1]);
    const closed = await openWeb([], { allow: ["localhost"] });
    expect(await closed.call("web_fetch", { url: `http://localhost:${port}/` })).toMatchObject({
      error: { code: "blocked", message: expect.stringContaining("web.ports") },
    });
    const open = await openWeb([], { allow: ["localhost"], ports: [port] });
    expect(textOf(await open.call("web_fetch", { url: `http://LOCALHOST:${port}/` }))).toBe("hello");
  });

  test.each(["", "not a url", "/relative", "http://", "http://[::1"])("%j is not taken for a URL", async (url) => {
    const session = await openWeb([]);
    expect(await session.call("web_fetch", { url })).toMatchObject({ error: { code: "invalid_input" } });
  });

  test("sends no cookies, credentials or referrer, and keeps no cookies", async () => {
    const server = await serve(({ url }, response) => {
      response.setHeader("set-cookie", "a=1");
      if (url === "/") response.writeHead(302, { location: "/next" }).end();
      else send(response, "hello", "text/plain");
    });
    const session = await openWeb([server]);
    expect(textOf(await session.call("web_fetch", { url: server.url }))).toBe("hello");
    await session.call("web_fetch", { url: server.url });
    expect(server.requests).toHaveLength(4);
    for (const { headers } of server.requests)
      expect(Object.keys(headers).sort()).toEqual([
        "accept",
        "accept-encoding",
        "accept-language",
        "connection",
        "host",
        "user-agent",
      ]);
  });
});

describe("redirects", () => {
  test("A0-29 a redirect to a refused address ends the call, and nothing is sent there", async () => {
    const secret = await serve((_, response) => send(response, "INTERNAL", "text/plain"));
    for (const location of [
      secret.url,
      `//${secret.host}/`,
      `http:\\\\${secret.host}`,
      "http://169.254.169.254/latest/",
      "http://user:pw@example.com/",
      "file:///etc/passwd",
    ]) {
      const result = await fetchFrom((_, response) => response.writeHead(302, { location }).end());
      expect(result, location).toMatchObject({
        ok: false,
        error: { code: "blocked", message: expect.stringContaining("The web policy refuses") },
      });
      expect(result.server.requests).toHaveLength(1);
    }
    expect(secret.requests).toHaveLength(0);
  });

  test.each([301, 302, 303, 307, 308])("%i is followed, and the result says where it ended", async (status) => {
    const { server, ...result } = await fetchFrom(({ url }, response) =>
      url === "/"
        ? response.writeHead(status, { location: Buffer.from("b/../c?d=ä").toString("latin1") }).end()
        : send(response, "there", "text/plain"),
    );
    expect(textOf(result)).toBe("there");
    expect(result.meta).toMatchObject({ url: `${server.url}/c?d=%C3%A4` });
  });

  test("more than five are too many", async () => {
    const result = await fetchFrom(({ url }, response) => response.writeHead(302, { location: `${url}x` }).end());
    expect(result).toMatchObject({
      error: { code: "tool_error", message: expect.stringContaining("more than 5 times") },
    });
    expect(result.server.requests).toHaveLength(6);
  });
});

describe("retries", () => {
  test("A0-27 429 and what servers say when they fail are tried three times, then reported", async () => {
    const statuses = [429, 500, 502, 503, 504, 522, 529];
    const results = await Promise.all(
      statuses.map((status) =>
        fetchFrom((_, response) => send(response, "<p>come back later</p>", "text/html", status)),
      ),
    );
    for (const [index, status] of statuses.entries()) {
      expect(results[index]!.server.requests).toHaveLength(3);
      expect(results[index]).toMatchObject({
        error: {
          code: status === 429 ? "rate_limited" : "unavailable",
          message: expect.stringContaining(`answered ${status}:\ncome back later`),
          retryable: true,
          details: { status },
        },
      });
    }
  });

  test("A0-27 a page that comes at the third attempt is a success", async () => {
    let asked = 0;
    const result = await fetchFrom((_, response) =>
      ++asked < 3 ? send(response, "", "text/plain", 503) : send(response, "at last", "text/plain"),
    );
    expect(textOf(result)).toBe("at last");
  });

  test.each([400, 401, 403, 404, 410, 501, 505])("A0-27 %i is reported at once", async (status) => {
    const result = await fetchFrom((_, response) => send(response, "no such page", "text/plain", status));
    expect(result.server.requests).toHaveLength(1);
    expect(result).toMatchObject({
      ok: false,
      error: {
        message: expect.stringContaining(`answered ${status}`),
        retryable: false,
        details: { status, body: "no such page" },
      },
    });
  });

  test("A0-27 a network error is tried again", async () => {
    let asked = 0;
    const result = await fetchFrom(({ socket }, response) =>
      ++asked < 3 ? socket.destroy() : send(response, "at last", "text/plain"),
    );
    expect(textOf(result)).toBe("at last");
    const never = await fetchFrom(({ socket }) => socket.destroy());
    expect(never).toMatchObject({
      error: { code: "unavailable", message: expect.stringContaining("ECONNRESET"), retryable: true },
    });
    expect(never.server.requests).toHaveLength(3);
  });

  test("A0-28 the wait is never below the floor, also when the server asks for less", async () => {
    const times: number[] = [];
    await fetchFrom((_, response) => {
      times.push(performance.now());
      response.writeHead(503, { "retry-after": "0" }).end();
    });
    expect(times).toHaveLength(3);
    for (const index of [1, 2]) expect(times[index]! - times[index - 1]!).toBeGreaterThanOrEqual(249);
  });

  test.each([1, 2])("A0-28 maxAttempts: %i is honoured", async (maxAttempts) => {
    const result = await fetchFrom((_, response) => send(response, "", "text/plain", 503), {}, { maxAttempts });
    expect(result.server.requests).toHaveLength(maxAttempts);
  });

  test("A0-28 the server's Retry-After is waited for, and a cancel ends the wait at once", async () => {
    const server = await serve((_, response) => response.writeHead(503, { "retry-after": "60" }).end());
    const session = await openWeb([server]);
    const controller = new AbortController();
    const started = performance.now();
    const call = session.call("web_fetch", { url: server.url }, { signal: controller.signal });
    setTimeout(() => controller.abort(), 600);
    expect(await call).toMatchObject({ error: { code: "cancelled" } });
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(server.requests).toHaveLength(1);
  });
});
