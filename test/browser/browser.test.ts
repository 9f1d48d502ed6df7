import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { JSHandle } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Bundle, buildPage } from "../../examples/06-browser/build.ts";
import { launchChromium, requestsElsewhere, type Visit, visit } from "./chromium.ts";
import type { PageExports } from "./page/page.ts";
import { type Bundled, bundlePage } from "./serve.ts";

const cleanup = new AsyncDisposableStack();
let bundled: Bundled;
let visited: Visit;
// What is passed to `page.evaluate` runs in the browser: it sees the exports of the page and nothing of this file.
let page: JSHandle<PageExports>;

beforeAll(async () => {
  const browser = await launchChromium();
  cleanup.defer(() => browser.close());
  bundled = cleanup.use(await bundlePage(join(import.meta.dirname, "page")));
  printSizes(bundled.bundle);
  visited = await visit(browser, await bundled.serve());
  page = await visited.page.waitForFunction(() => (globalThis as unknown as { exports?: PageExports }).exports!);
});

afterAll(() => cleanup.disposeAsync());

describe("the bundle", () => {
  test("needs no module of Node, and the bundler has nothing to warn of", () => {
    expect(bundled.bundle.scripts.size).toBeGreaterThan(0);
    expect(bundled.bundle.problems).toEqual([]);
  });

  test("would be found out if it needed one", async () => {
    const root = await mkdtemp(join(tmpdir(), "pegboard-browser-"));
    cleanup.defer(() => rm(root, { recursive: true }));
    await writeFile(join(root, "index.html"), `<script type="module" src="./page.js"></script>`);
    await writeFile(join(root, "page.js"), `import { readFile } from "node:fs/promises"; readFile("a");`);
    const { problems } = await buildPage(root, join(root, "dist"));
    expect(problems.join("\n")).toContain("node:fs/promises");
  });
});

describe("in a browser", () => {
  test("tools with a JSON Schema and with a zod schema are listed, and run with their defaults", async () => {
    const seen = await page.evaluate(async ({ createRuntime, defineTool, z }) => {
      const area = defineTool({
        name: "area",
        description: "Multiplies",
        input: {
          type: "object",
          properties: { width: { type: "number" }, height: { type: "number", default: 2 } },
          required: ["width"],
        },
        output: { type: "number" },
        capabilities: ["read"],
        execute: ({ width, height }) => width * height,
      });
      const greet = defineTool({
        name: "greet",
        description: "Greets",
        input: z.object({ name: z.string().trim(), mark: z.string().default("!") }),
        capabilities: ["read"],
        execute: ({ name, mark }) => `Hello ${name}${mark}`,
      });
      const session = createRuntime({ tools: [area, greet], builtins: false }).open();
      return {
        list: session.list().map(({ name, approval, inputSchema }) => [name, approval, inputSchema.required]),
        area: (await session.call("area", { width: 21 })).structured,
        greet: (await session.call("greet", { name: " Ada " })).content,
      };
    });
    expect(seen).toEqual({
      list: [
        ["area", "preApproved", ["width"]],
        ["greet", "preApproved", ["name"]],
      ],
      area: 42,
      greet: [{ type: "text", text: "Hello Ada!" }],
    });
  });

  test("all problems of an input come back at once, and nobody is asked", async () => {
    const { asked, failures } = await page.evaluate(async ({ createRuntime, defineTool, z }) => {
      let asked = 0;
      const json = {
        type: "object",
        properties: { code: { type: "string", pattern: "^[A-Z]{3}$" }, count: { type: "integer", maximum: 5 } },
        required: ["code", "day"],
        additionalProperties: false,
      };
      const zod = z.object({ code: z.string().regex(/^[A-Z]{3}$/), count: z.number().max(5), day: z.string() });
      const tools = Object.entries({ json, zod }).map(([name, input]) =>
        defineTool({ name, description: "Books", input, execute: () => "booked" }),
      );
      const session = createRuntime({ tools }).open({ approver: () => (asked++, { decision: "allow" }) });
      const failures = [];
      for (const { name } of tools) {
        const { error } = await session.call(name, { code: "abc", count: 7, cuont: 1 });
        const details = error?.details as { path: string }[];
        failures.push({ code: error?.code, paths: details.map(({ path }) => path).toSorted() });
      }
      return { asked, failures };
    });
    expect(failures).toEqual([
      { code: "invalid_input", paths: ["", "", "/code", "/count"] },
      { code: "invalid_input", paths: ["/code", "/count", "/day"] },
    ]);
    expect(asked).toBe(0);
  });

  test("an approver in the page is asked with the final input, and its no comes back with its note", async () => {
    const seen = await page.evaluate(async ({ createRuntime, defineTool }) => {
      const asked: unknown[] = [];
      const sent: string[] = [];
      const send = defineTool({
        name: "send",
        description: "Sends",
        input: {
          type: "object",
          properties: { to: { type: "string" }, copies: { type: "integer", default: 1 } },
          required: ["to"],
        },
        summary: ({ to }) => `Send to ${to}`,
        execute: ({ to }) => void sent.push(to),
      });
      const session = createRuntime({ tools: [send] }).open({
        async approver({ summary, input, digest }) {
          await new Promise((resolve) => setTimeout(resolve));
          asked.push([summary, input, digest.length]);
          return summary.endsWith("Ada") ? { decision: "allow" } : { decision: "deny", note: "not today" };
        },
      });
      const allowed = await session.call("send", { to: "Ada" });
      const denied = await session.call("send", { to: "Eve" });
      return { allowed: allowed.ok, denied: denied.error, asked, sent };
    });
    expect(seen).toEqual({
      allowed: true,
      denied: { code: "denied", message: expect.stringContaining("not today"), retryable: false },
      asked: [
        ["Send to Ada", { to: "Ada", copies: 1 }, 64],
        ["Send to Eve", { to: "Eve", copies: 1 }, 64],
      ],
      sent: ["Ada"],
    });
  });

  test("a tool that policy blocks is neither listed nor run, whatever the mode", async () => {
    const seen = await page.evaluate(async ({ createRuntime, defineTool }) => {
      let runs = 0;
      const wipe = defineTool({ name: "wipe", description: "Wipes", input: { type: "object" }, execute: () => runs++ });
      const policy = { rules: [{ tool: "wipe", approval: "blocked" as const }] };
      const session = createRuntime({ tools: [wipe], policy, approve: "all", builtins: false }).open();
      return { list: session.list(), code: (await session.call("wipe")).error?.code, runs };
    });
    expect(seen).toEqual({ list: [], code: "blocked", runs: 0 });
  });

  test("virtual files are written, read and listed", async () => {
    const seen = await page.evaluate(async ({ createRuntime, memoryStore }) => {
      const session = createRuntime({ store: memoryStore() }).open();
      const content = "Zoë’s notes 🪛";
      return {
        content,
        write: (await session.call("vfs_write", { path: "notes/a.md", content })).structured,
        read: (await session.call("vfs_read", { path: "notes/a.md" })).structured,
        list: (await session.call("vfs_list", { prefix: "notes" })).structured,
        missing: (await session.call("vfs_read", { path: "notes/b.md" })).error?.code,
      };
    });
    expect(seen).toMatchObject({
      write: { path: "notes/a.md", version: 1, created: true },
      read: { path: "notes/a.md", version: 1, text: seen.content },
      list: ["notes/a.md"],
      missing: "not_found",
    });
  });

  test("a plugin's tools come and go, and the log tells of it", async () => {
    const seen = await page.evaluate(async ({ createRuntime, definePlugin, defineTool }) => {
      const steps: string[] = [];
      const search = defineTool({
        name: "search",
        description: "Searches",
        input: { type: "object" },
        execute: () => "found",
      });
      const plugin = definePlugin({
        name: "acme",
        version: "1.0.0",
        tools: [search],
        settingsSchema: { type: "object", required: ["key"] },
        register: () => ({ beforeCall: ({ tool }) => void steps.push(`call ${tool}`) }),
        start: () => void steps.push("start"),
        stop: () => void steps.push("stop"),
      });
      const runtime = createRuntime({ approve: "all" });
      const session = runtime.open();
      await session.call("vfs_list");
      const [refused] = await runtime.plugins.add({ plugin });
      await runtime.plugins.configure("acme", { key: "k" });
      const there = await session.call("acme__search");
      await runtime.plugins.disable("acme");
      const gone = await session.call("acme__search");
      const events = await runtime.store.read({ session: session.id, type: "tools-change" });
      return {
        steps,
        refused: refused?.reason,
        there: there.ok,
        gone: gone.error?.code,
        changes: events.map(({ data }) => data),
      };
    });
    expect(seen).toEqual({
      steps: ["start", "call acme__search", "stop"],
      refused: 'Plugin "acme" needs settings: key. Set them with: pegboard plugin config acme key=…',
      there: true,
      gone: "not_found",
      changes: [
        { added: ["acme__search"], removed: [], changed: [] },
        { added: [], removed: ["acme__search"], changed: [] },
      ],
    });
  });

  test("a call ends when its time is up and when it is cancelled, and the tool's signal fires", async () => {
    const seen = await page.evaluate(async ({ createRuntime, defineTool }) => {
      const reasons: string[] = [];
      const hang = (name: string, timeoutMs: number | null) =>
        defineTool({
          name,
          description: "Never answers",
          input: { type: "object" },
          capabilities: ["read"],
          timeoutMs,
          execute: (_, { signal }) =>
            new Promise(() => signal.addEventListener("abort", () => reasons.push(`${name} ${signal.reason.code}`))),
        });
      const session = createRuntime({ tools: [hang("slow", 50), hang("endless", null)] }).open();
      const slow = await session.call("slow");
      const byId = session.call("endless", {}, { id: "one" });
      setTimeout(() => session.cancel("one"), 20);
      const controller = new AbortController();
      const bySignal = session.call("endless", {}, { signal: controller.signal });
      setTimeout(() => controller.abort(), 20);
      const codes = [slow, await byId, await bySignal].map(({ error }) => error?.code);
      return { codes, reasons };
    });
    expect(seen).toEqual({
      codes: ["timeout", "cancelled", "cancelled"],
      reasons: ["slow timeout", "endless cancelled", "endless cancelled"],
    });
  });

  test("the events of a session are its history, then what is new, until it is closed", async () => {
    const events = await page.evaluate(async ({ createRuntime, defineTool }) => {
      const work = defineTool({
        name: "work",
        description: "Works",
        input: { type: "object" },
        execute: (_, { progress }) => progress("half", { current: 1, total: 2 }),
      });
      const runtime = createRuntime({ tools: [work] });
      const session = runtime.open({ approver: () => ({ decision: "allow" }) });
      await session.call("work");
      const seen: [number, string][] = [];
      for await (const { seq, type } of session.events()) {
        seen.push([seq, type]);
        if (type === "call-end") void session.close();
      }
      await runtime.close();
      return seen;
    });
    expect(events.map(([, type]) => type)).toEqual([
      "session-start",
      "call-start",
      "approval-request",
      "approval-response",
      "execute-start",
      "call-progress",
      "call-end",
      "session-end",
    ]);
    expect(events.map(([seq]) => seq)).toEqual(events.map((_, index) => index + 1));
  });

  test("nothing of all this logged an error, or asked anything of another origin", () => {
    expect(visited.errors).toEqual([]);
    expect(visited.requests.length).toBeGreaterThan(1);
    expect(requestsElsewhere(visited)).toEqual([]);
  });
});

function printSizes({ scripts }: Bundle): void {
  console.log("kB of each script, compressed with gzip:");
  for (const [name, code] of scripts) console.log((gzipSync(code).length / 1000).toFixed(1).padStart(6), name);
}
