import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium, requestsElsewhere, visit } from "./chromium.ts";
import { type Bundled, bundlePage } from "./serve.ts";

const cleanup = new AsyncDisposableStack();
let browser: Browser;
let bundled: Bundled;

beforeAll(async () => {
  browser = await launchChromium();
  cleanup.defer(() => browser.close());
  bundled = cleanup.use(await bundlePage(join(import.meta.dirname, "../../examples/06-browser")));
});

afterAll(() => cleanup.disposeAsync());

test("a person lists, calls, allows and denies in the page of the example", async () => {
  const visited = await visit(browser, await bundled.serve());
  const { page } = visited;
  await page.getByRole("cell", { name: "postage" }).waitFor();
  const rows = await page.getByRole("row").allInnerTexts();
  expect(rows.find((row) => row.startsWith("send_postcard"))).toContain("asks you");
  expect(rows.find((row) => row.startsWith("postage"))).toContain("runs");
  expect(rows.join()).not.toContain("burn_mail");

  await call(page, "postage");
  await shows(page, `"cents":210`);

  await call(page, "send_postcard");
  const dialog = page.getByRole("dialog", { name: "Send a postcard to Ada?" });
  await dialog.getByRole("button", { name: "Allow" }).click();
  await shows(page, "Sent");

  await call(page, "send_postcard");
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await shows(page, "denied");

  await call(page, "send_postcard", { to: "", txet: "hi" });
  await shows(page, "invalid_input");
  const log = await page.getByRole("log").getByRole("listitem").allInnerTexts();
  expect(log).toEqual(expect.arrayContaining(["approval-response: allow", "approval-response: deny"]));
  await takeScreenshot(page);

  expect(visited.errors).toEqual([]);
  expect(requestsElsewhere(visited)).toEqual([]);
});

test("without 'unsafe-eval', tools with a zod schema run and those with a JSON Schema fail at once and say why", async () => {
  const url = await bundled.serve({ "Content-Security-Policy": "default-src 'self'; script-src 'self'" });
  const { page } = await visit(browser, url);

  await call(page, "postage");
  await shows(page, `"cents":210`);
  for (const tool of ["send_postcard", "vfs_list"]) {
    await call(page, tool);
    expect(await shows(page, "'unsafe-eval'")).toMatch(/^unavailable: /);
  }
  expect(await page.getByRole("dialog").count()).toBe(0);
});

test("with 'unsafe-eval', and nothing else but what is the page's own, both run", async () => {
  const url = await bundled.serve({ "Content-Security-Policy": "default-src 'self'; script-src 'self' 'unsafe-eval'" });
  const { page, errors } = await visit(browser, url);

  await call(page, "postage");
  await shows(page, `"cents":210`);
  await call(page, "vfs_list");
  await shows(page, "There are no files yet");
  expect(errors).toEqual([]);
});

async function call(page: Page, tool: string, input?: object): Promise<void> {
  await page.getByLabel("Tool", { exact: true }).selectOption(tool);
  if (input) await page.getByLabel("Input, as JSON").fill(JSON.stringify(input));
  await page.getByRole("button", { name: "Call" }).click();
}

/** Waits until the page shows a result with this text. */
async function shows(page: Page, text: string): Promise<string> {
  const result = page.getByRole("status").filter({ hasText: text });
  await result.waitFor({ timeout: 5_000 });
  return result.innerText();
}

/** Overwrites the one of the run before. */
async function takeScreenshot(page: Page): Promise<void> {
  const path = join(tmpdir(), "pegboard-browser", "example.png");
  await page.screenshot({ path, fullPage: true });
  console.log(`The page of the example: ${path}`);
}
