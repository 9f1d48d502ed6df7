import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { RunResult } from "../../src/index.ts";
import { serveForTest, TOKEN } from "../node/serve/serving.ts";
import { STAGE } from "../transports/stage.ts";
import { makePlace, type Outcome } from "./run.ts";

const env = { PEGBOARD_TOKEN: TOKEN };

describe("with --server a command is done by a server", () => {
  test("that lists its tools, agents and plugins", async () => {
    const { at } = await serving();
    const { code, stdout } = await at("list", "tools", "--json");
    expect(code).toBe(0);
    const { tools } = JSON.parse(stdout) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["echo", "send"]));
    expect(await at("list", "agents")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^helper +project +Helps$/m),
    });
    expect(await at("list", "plugins", "--json")).toMatchObject({
      code: 0,
      stdout: `${JSON.stringify({ plugins: [] }, null, 2)}\n`,
    });
    expect(await at("list", "skills")).toMatchObject({ code: 2, stderr: expect.stringContaining("skills") });
  });

  test("that calls a tool, with input typed by its schema", async () => {
    const { at } = await serving();
    expect(await at("call", "echo", "text=1")).toEqual({ code: 0, stdout: "1\n", stderr: "" });
    expect(await at("call", "none")).toMatchObject({ code: 1, stderr: expect.stringContaining("none") });
    expect(await at("call", "echo", "--json")).toMatchObject({ stdout: expect.stringContaining("invalid_input") });
  });

  test("that is answered as --approve says", async () => {
    const { at } = await serving();
    expect(await at("call", "send", "text=a", "--approve", "all")).toMatchObject({ code: 0, stdout: "sent a\n" });
    expect(await at("call", "send", "text=a")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("nobody is there"),
    });
  });

  test("that runs an agent", async () => {
    const { at } = await serving();
    const { code, stdout, stderr } = await at("run", "assistant", "ask", "a", "helper");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "The helper said so\n" });
    expect(stderr).toContain("helper: ");
    const first = JSON.parse((await at("run", "assistant", "hello", "--json", "--quiet")).stdout) as RunResult;
    expect(first).toMatchObject({ status: "completed", text: "First" });
    const more = await at("run", "assistant", "on", "--session", first.session, "--continue", first.run, "--quiet");
    expect(more).toEqual({ code: 0, stdout: "Second\n", stderr: "" });
    const events = (await at("run", "assistant", "hello", "--stream-json")).stdout.trim().split("\n");
    expect(events.map((line) => (JSON.parse(line) as { type: string }).type)).toContain("run-end");
    expect(await at("run", "nobody", "hello")).toMatchObject({ code: 2, stderr: expect.stringContaining("nobody") });
  });

  test("that holds a conversation", async () => {
    const { place, url } = await serving();
    const stdin = "hello\nand on\n/new\nhello\n/nothing\n/exit\nnot read\n";
    const { code, stdout, stderr } = await place.runWith({ env, stdin }, "chat", "helper", "--server", url);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "First\nSecond\nFirst\n" });
    expect(stderr).toContain("There is no /nothing at a server");
  });

  test("that is told to, and is there, and is an address", async () => {
    const { place } = await serving();
    const nowhere = await place.runWith({ env }, "call", "echo", "--server", "http://127.0.0.1:9");
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining("is the server running?") });
    const wrong = await place.runWith({ env }, "call", "echo", "--server", "ftp://x");
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("http://127.0.0.1:4747") });
  });

  test("whose token is the person's own on this machine, and is sent nowhere else", async () => {
    const { url, place } = await serving();
    expect((await place.run("call", "echo", "text=a", "--server", url)).code).not.toBe(0);
    mkdirSync(place.home, { recursive: true });
    writeFileSync(join(place.home, "token"), `${TOKEN}\n`, { mode: 0o600 });
    expect(await place.run("call", "echo", "text=a", "--server", url)).toMatchObject({ code: 0, stdout: "a\n" });
    const seen: unknown[] = [];
    const other = createServer(({ headers }, response) => {
      seen.push(headers.authorization);
      response.end("{}");
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    // The same machine, under a name that does not say so.
    await place.run("list", "agents", "--server", `http://0.0.0.0:${port}`);
    await place.run("list", "agents", "--server", `http://127.0.0.1:${port}`);
    expect(seen).toEqual([undefined, `Bearer ${TOKEN}`]);
  });
});

async function serving() {
  const { url } = await serveForTest({}, STAGE);
  const place = makePlace();
  const at = (...argv: readonly string[]): Promise<Outcome> => place.runWith({ env }, ...argv, "--server", url);
  return { url, place, at };
}
