import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { PegboardError } from "../../src/index.ts";
import { checkUrl } from "../../src/node/web/check-url.ts";
import { proxyFor } from "../../src/node/web/connect.ts";
import { createFetchPage, type WebSettings } from "../../src/node/web/fetch-page.ts";
import type { Lookup } from "../../src/node/web/resolve-host.ts";
import { createSendSearch } from "../../src/node/web/send-search.ts";
import { makeCertificate } from "./make-certificate.ts";
import { send, serve, startProxy } from "./web-server.ts";

const folder = mkdtempSync(join(tmpdir(), "pegboard-tls-"));
const closing: Server[] = [];
const LOCAL: Lookup = async () => [{ address: "127.0.0.1", family: 4 }];

beforeAll(() => makeCertificate(folder, "pegs.test"));

afterEach(() => {
  for (const server of closing.splice(0)) server.close();
});

afterAll(() => rmSync(folder, { recursive: true }));

const read = (file: string) => readFileSync(join(folder, file), "utf8");

async function listen(server: Server): Promise<number> {
  closing.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

async function fetchText(url: string, web: WebSettings, lookup: Lookup = LOCAL): Promise<string> {
  const { bytes } = await createFetchPage(() => web, lookup)(url, {
    signal: AbortSignal.timeout(5_000),
    reads: () => true,
  });
  return Buffer.from(bytes).toString();
}

describe("a connection", () => {
  test("goes to the address that was checked, with the name in Host", async () => {
    const server = await serve(({ headers }, response) => send(response, headers.host!, "text/plain"));
    const port = server.host.split(":")[1];
    expect(await fetchText(`http://pegs.test:${port}/`, { allow: [`pegs.test:${port}`] })).toBe(`pegs.test:${port}`);
  });

  test("tries the other addresses when the first does not answer", async () => {
    const server = await serve((_, response) => send(response, "here", "text/plain"));
    const port = server.host.split(":")[1];
    const lookup: Lookup = async () => [
      { address: "::1", family: 6 },
      { address: "127.0.0.1", family: 4 },
    ];
    expect(await fetchText(`http://pegs.test:${port}/`, { allow: [`pegs.test:${port}`] }, lookup)).toBe("here");
  });

  test("by https needs a certificate of the host's own name", async () => {
    const names: (string | false | null)[] = [];
    const server = createHttpsServer({ key: read("key.pem"), cert: read("cert.pem") }, (_, response) =>
      send(response, "secure", "text/plain"),
    );
    server.on("secureConnection", ({ servername }) => names.push(servername));
    const port = await listen(server);
    const allow = [`pegs.test:${port}`, `other.test:${port}`, `127.0.0.1:${port}`];
    const failure = (url: string) =>
      fetchText(url, { allow }).then(
        () => "no failure",
        ({ code, retryable, message }: PegboardError) => `${code} ${retryable} ${message}`,
      );
    expect(await failure(`https://pegs.test:${port}/`)).toMatch(/^tool_error false .*DEPTH_ZERO_SELF_SIGNED_CERT/);
    const before = getCACertificates();
    setDefaultCACertificates([...before, read("cert.pem")]);
    try {
      expect(await fetchText(`https://pegs.test:${port}/`, { allow })).toBe("secure");
      expect(names.at(-1)).toBe("pegs.test");
      expect(await failure(`https://other.test:${port}/`)).toMatch(/ERR_TLS_CERT_ALTNAME_INVALID/);
      expect(await failure(`https://127.0.0.1:${port}/`)).toMatch(/ERR_TLS_CERT_ALTNAME_INVALID/);
    } finally {
      setDefaultCACertificates(before);
    }
  });
});

describe("a proxy", () => {
  test("is told the address that was checked, never the name", async () => {
    const server = await serve(({ headers }, response) => send(response, headers.host!, "text/plain"));
    const port = server.host.split(":")[1];
    const proxy = await startProxy();
    const web = { allow: [`pegs.test:${port}`], proxy: proxy.url.replace("http://", "http://me:p%40ss@") };
    expect(await fetchText(`http://pegs.test:${port}/`, web)).toBe(`pegs.test:${port}`);
    expect(proxy.asked).toEqual([`CONNECT 127.0.0.1:${port}`]);
    expect(proxy.logins).toEqual([`Basic ${Buffer.from("me:p@ss").toString("base64")}`]);
  });

  test("is asked for the next address when it does not reach the first", async () => {
    const server = await serve((_, response) => send(response, "here", "text/plain"));
    const port = server.host.split(":")[1];
    const proxy = await startProxy();
    const lookup: Lookup = async () => [
      { address: "::1", family: 6 },
      { address: "127.0.0.1", family: 4 },
    ];
    const web = { allow: [`pegs.test:${port}`], proxy: proxy.url };
    expect(await fetchText(`http://pegs.test:${port}/`, web, lookup)).toBe("here");
    expect(proxy.asked).toEqual([`CONNECT [::1]:${port}`, `CONNECT 127.0.0.1:${port}`]);
  });

  test("opens no hole: a refused host is refused before the proxy hears of it", async () => {
    const proxy = await startProxy();
    for (const url of ["http://127.0.0.1/", "http://pegs.test/", "http://intranet/"]) {
      await expect(fetchText(url, { proxy: proxy.url })).rejects.toMatchObject({ code: "blocked" });
    }
    expect(proxy.asked).toEqual([]);
  });

  test("that does not connect is named in the error", async () => {
    const proxy = await startProxy(403);
    await expect(fetchText("http://8.8.8.8/", { proxy: proxy.url })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/web\.proxy\) did not connect to 8\.8\.8\.8:80: it answered 403/),
    });
    await expect(fetchText("http://8.8.8.8/", { proxy: "http://127.0.0.1:1" })).rejects.toMatchObject({
      code: "unavailable",
      retryable: true,
    });
  });

  test("of the environment is used only when the configuration says so, and not for what NO_PROXY names", () => {
    const env = {
      HTTP_PROXY: "http://one:3128",
      https_proxy: "two:3128",
      NO_PROXY: "example.org, .corp.test,only.test:8080",
    };
    const find = (url: string, setting?: string) => proxyFor(checkUrl(url), setting, env)?.host;
    expect(find("http://example.com/")).toBeUndefined();
    expect(find("http://example.com/", "env")).toBe("one:3128");
    expect(find("https://example.com/", "env")).toBe("two:3128");
    expect(find("https://example.org/", "env")).toBeUndefined();
    expect(find("https://a.example.org/", "env")).toBeUndefined();
    expect(find("https://badexample.org/", "env")).toBe("two:3128");
    expect(find("https://a.corp.test/", "env")).toBeUndefined();
    expect(find("http://only.test:8080/", "env")).toBeUndefined();
    expect(find("http://only.test/", "env")).toBe("one:3128");
    expect(find("https://example.org/", "http://three:1")).toBe("three:1");
    expect(proxyFor(checkUrl("http://example.com/"), "env", { ...env, no_proxy: "*" })).toBeUndefined();
    expect(() => find("http://example.com/", "socks5://one:1")).toThrow("web.proxy");
  });
});

describe("a search service", () => {
  const ask = (url: string, web: Parameters<typeof createSendSearch>[0], lookup = LOCAL) =>
    createSendSearch(
      web,
      lookup,
    )({
      url: new URL(url),
      method: "GET",
      headers: { authorization: "Bearer the-key" },
      signal: AbortSignal.timeout(5_000),
    });

  test("is connected to at the address that its name has here, also through a proxy", async () => {
    const server = await serve(({ headers }, response) => send(response, headers.host!, "text/plain"));
    const url = `http://pegs.test:${server.host.split(":")[1]}`;
    const proxy = await startProxy();
    expect(await ask(url, { isOwn: true })).toEqual({ status: 200, text: new URL(url).host });
    expect(proxy.asked).toEqual([]);
    expect(await ask(url, { isOwn: true, proxy: proxy.url })).toMatchObject({ text: new URL(url).host });
    expect(proxy.asked).toEqual([`CONNECT ${server.host}`]);
  });

  test("whose own name leads into the private network does not get the key, unless the operator allows its host", async () => {
    const proxy = await startProxy();
    const url = "https://api.search.test/";
    await expect(ask(url, { isOwn: false, proxy: proxy.url })).rejects.toMatchObject({
      code: "blocked",
      message: expect.stringContaining("127.0.0.1 is not public"),
    });
    expect(proxy.asked).toEqual([]);
    await expect(ask(url, { isOwn: false, allow: ["api.search.test"], proxy: proxy.url })).rejects.toMatchObject({
      code: "unavailable",
    });
    expect(proxy.asked).toEqual(["CONNECT 127.0.0.1:443"]);
  });
});
