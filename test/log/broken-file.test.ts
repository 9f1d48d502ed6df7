import { spawn } from "node:child_process";
import { chmodSync, existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { createRuntime, defineTool } from "pegboard";
import { sqliteStore } from "pegboard/node";
import { describe, expect, test } from "vitest";
import {
  CONFIG,
  finish,
  makePlace,
  type Outcome,
  type Place,
  toolModule,
} from "../../packages/pegboard/test/cli/run.ts";
import { createRandom } from "./random.ts";
import { testSeed } from "./seed.ts";

const BIN = fileURLToPath(new URL("../../packages/pegboard/bin/pegboard.js", import.meta.url));
const TOOLS = toolModule({
  look: `capabilities: ["read"], execute: () => "seen"`,
  effect: `approval: "preApproved", capabilities: ["write"], execute: async () => (await import("node:fs")).writeFileSync(process.env.MARK, "done")`,
});

/** A workspace with a log of some length, whose file is then broken. */
async function makeBroken(
  breakIt: (file: string, place: Place) => void,
): Promise<{ place: Place; file: string; mark: string }> {
  const place = makePlace({ "pegboard.yaml": CONFIG, "tools/own.ts": TOOLS }, { trust: true });
  const file = place.path(".pegboard/pegboard.db");
  const store = sqliteStore(file);
  for (let index = 0; index < 20; index++) {
    await store.append(
      Array.from(
        { length: 50 },
        (_, seq) =>
          ({ v: 1, seq: seq + 1, at: 1, type: "session-end", session: `s${index}`, data: { calls: seq } }) as const,
      ),
    );
  }
  await store.close();
  breakIt(file, place);
  return { place, file, mark: place.path("mark") };
}

describe("a log that cannot be used is told with its file and what to do, and nothing else stops", () => {
  test.for([
    ["damaged in the middle", damage, "restore a copy"],
    [
      "cut in half",
      (file: string) => truncateSync(file, Math.floor(readFileSync(file).length / 8192) * 4096),
      "restore a copy",
    ],
    ["no database", (file: string) => writeFileSync(file, "no database\n".repeat(1_000)), "restore a copy"],
    ["of a newer Pegboard", (file: string) => setVersion(file, 99), "use a Pegboard that knows version 99"],
  ] as const)("when it is %s", async ([, breakIt, advice]) => {
    const { place, file, mark } = await makeBroken(breakIt);
    const seen = await observe((argv, env = {}) => place.runWith({ env }, ...argv), mark);
    expect(seen).toEqual(refusal(`${file}.*${advice}`));
  });

  test("when its folder may not be written to", async () => {
    const { place, file, mark } = await makeBroken(() => {});
    chmodSync(file, 0o444);
    chmodSync(dirname(file), 0o555);
    const seen = await observe((argv, env = {}) => runBound(place, argv, env), mark);
    expect(seen).toEqual(refusal(`${file}.*make the file and its folder readable and writable`));
  });

  test("when another process holds it for too long", async () => {
    const { file } = await makeBroken(() => {});
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    let ran = 0;
    const effect = defineTool({
      name: "effect",
      description: "Has an effect",
      input: { type: "object" },
      execute: () => String(++ran),
    });
    const look = defineTool({
      name: "look",
      description: "Reads",
      input: { type: "object" },
      capabilities: ["read"],
      execute: () => "seen",
    });
    const runtime = createRuntime({
      store: sqliteStore(file, { busyTimeoutMs: 50 }),
      tools: [effect, look],
      approve: "all",
    });
    const session = runtime.open();
    const refusal = new RegExp(`${file}.*another process is writing to it, try again`);
    expect((await session.call("effect")).error).toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(refusal),
    });
    expect(ran).toBe(0);
    expect(await session.call("look")).toMatchObject({
      ok: true,
      meta: { unrecorded: expect.stringMatching(refusal) },
    });
    expect(await runtime.store.read()).toHaveLength(1_000);
    other.exec("ROLLBACK");
    other.close();
    expect((await session.call("effect")).ok).toBe(true);
    await runtime.close();
  });
});

type Run = (argv: readonly string[], env?: Readonly<Record<string, string>>) => Promise<Outcome>;

/** What the commands say and do. */
async function observe(run: Run, mark: string) {
  const commands = { log: ["log"], list: ["list"], effect: ["call", "effect"], look: ["call", "look"] };
  const seen: Record<string, Outcome | boolean> = {};
  for (const [name, argv] of Object.entries(commands)) seen[name] = await run(argv, { MARK: mark });
  return { ...seen, effectHappened: existsSync(mark) };
}

/** What is expected of them: what needs the log says why it stops, the rest goes on. */
function refusal(message: string) {
  const refused = { code: 1, stdout: expect.any(String) as string, stderr: expect.stringMatching(message) as string };
  return {
    log: refused,
    list: { code: 0, stdout: expect.stringContaining("effect") as string, stderr: "" },
    effect: refused,
    look: { code: 0, stdout: "seen\n", stderr: expect.any(String) as string },
    effectHappened: false,
  };
}

/** Flips bytes at the beginning of pages, where their structure is. */
function damage(file: string): void {
  const random = createRandom(testSeed());
  const bytes = readFileSync(file);
  for (let page = 2; page < bytes.length / 4096; page++)
    for (let at = 0; at < 16; at++) bytes[page * 4096 + at]! ^= random.between(1, 255);
  writeFileSync(file, bytes);
}

function setVersion(file: string, version: number): void {
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA user_version = ${version}`);
  database.close();
}

/** Runs the command as somebody whom permissions bind, as they do not bind the superuser. */
function runBound(place: Place, argv: readonly string[], env: Readonly<Record<string, string>>): Promise<Outcome> {
  const superuser = process.getuid?.() === 0;
  const [command = "", ...rest] = [
    ...(superuser ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : []),
    process.execPath,
    BIN,
    ...argv,
  ];
  const known = { PATH: process.env["PATH"]!, PEGBOARD_HOME: place.home, PEGBOARD_TRUST: "1" };
  const child = spawn(command, rest, {
    cwd: place.folder,
    env: { ...known, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return finish(child);
}
