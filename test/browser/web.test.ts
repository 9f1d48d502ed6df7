import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { JSHandle } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium, visit } from "./chromium.ts";
import type { PageExports } from "./page/page.ts";
import { bundlePage } from "./serve.ts";

const cleanup = new AsyncDisposableStack();
let page: JSHandle<PageExports>;

beforeAll(async () => {
  const browser = await launchChromium();
  cleanup.defer(() => browser.close());
  const bundled = cleanup.use(await bundlePage(join(import.meta.dirname, "page")));
  const visited = await visit(browser, await bundled.serve());
  page = await visited.page.waitForFunction(() => (globalThis as unknown as { exports?: PageExports }).exports!);
});

afterAll(() => cleanup.disposeAsync());

/** A server on another origin than the page's. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanup.defer(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function fetchInPage(url: string) {
  return page.evaluate(async ({ createRuntime, webFetchTool, fetchPageInBrowser }, target) => {
    const tool = webFetchTool({ fetchPage: fetchPageInBrowser, settings: () => ({ maxAttempts: 1 }) });
    return createRuntime({ tools: [tool], approve: "all" })
      .open()
      .call("web_fetch", { url: target, format: "markdown" });
  }, url);
}

describe("web_fetch in a browser", () => {
  test("reads what the site lets it read, as Markdown", async () => {
    const url = await serve((_, response) =>
      response
        .writeHead(200, { "content-type": "text/html", "access-control-allow-origin": "*" })
        .end(`<h1>Pegs</h1><script>x</script><a href="/b">b</a>`),
    );
    expect(await fetchInPage(url)).toMatchObject({
      ok: true,
      content: [{ text: `# Pegs\n\n[b](${url}b)` }],
      meta: { untrusted: true },
    });
  });

  test("says that it was CORS when it was", async () => {
    const url = await serve((_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<p>secret</p>"),
    );
    expect(await fetchInPage(url)).toMatchObject({
      error: {
        code: "unavailable",
        message: expect.stringMatching(/^The browser blocked .*the site answered, and does not allow .*\(CORS\)/),
        retryable: false,
      },
    });
  });

  test("says that nobody answered when nobody did", async () => {
    expect(await fetchInPage("http://127.0.0.1:1/")).toMatchObject({
      error: { code: "unavailable", message: expect.stringContaining("could not be reached"), retryable: true },
    });
  });

  test.each(["file:///etc/passwd", "http://user:pw@127.0.0.1/", "javascript:alert(1)"])("refuses %s", async (url) => {
    expect(await fetchInPage(url)).toMatchObject({ error: { code: "blocked" } });
  });
});
