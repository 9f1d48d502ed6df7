import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Result } from "@pegboard/contract";
import { describe, expect, onTestFinished, test } from "vitest";
import { createRuntime, type Session } from "../../src/index.ts";
import { createFilesystem } from "../../src/node/files/filesystem.ts";

const ROUNDS = 3_000;
/** In memory where there is such a place: the race is about names, and a disk would only make it rarer. */
const PLACE = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const SWAP = new URL("swap-for-link.ts", import.meta.url).pathname;

// The promise is that of a system which tells where descriptors lead; the others are documented to promise less.
describe.runIf(process.platform === "linux")("while somebody exchanges it for a link that leads out", () => {
  test("RACE1 a folder on the way is never left: no read gives what is outside", { timeout: 60_000 }, async () => {
    const { session, swapping } = arrange("race");
    const counts = await race(swapping, () => session.call("read_file", { path: "/race/secret.txt" }));
    expect(counts.leaks).toBe(0);
    expect(counts.done).toBeGreaterThan(0);
    expect(counts.swaps).toBeGreaterThan(100);
  });

  test("RACE2 a file is never left: no read gives what is outside", { timeout: 60_000 }, async () => {
    const { session, swapping } = arrange("race/secret.txt");
    const counts = await race(swapping, () => session.call("read_file", { path: "/race/secret.txt" }));
    expect(counts.leaks).toBe(0);
    expect(counts.done).toBeGreaterThan(0);
    expect(counts.swaps).toBeGreaterThan(100);
  });

  test("RACE3 a folder on the way is never left: no write makes a file outside", { timeout: 60_000 }, async () => {
    const { session, swapping, outside } = arrange("race");
    const counts = await race(swapping, (round) =>
      session.call("write_file", { path: `/race/w${round}.txt`, content: String(round) }),
    );
    expect(readdirSync(outside)).toEqual(["secret.txt"]);
    expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe("SECRET-OUTSIDE");
    expect(counts.done).toBeGreaterThan(0);
    expect(counts.swaps).toBeGreaterThan(100);
  });
});

interface Arranged {
  readonly session: Session;
  readonly outside: string;
  readonly swapping: { readonly path: string; readonly elsewhere: string };
}

function arrange(swapped: string): Arranged {
  const base = realpathSync(mkdtempSync(join(PLACE, "pegboard-race-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [root, outside] = [join(base, "root"), join(base, "outside")];
  for (const [folder, text] of [
    [join(root, "race"), "INSIDE"],
    [outside, "SECRET-OUTSIDE"],
  ] as const) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "secret.txt"), text);
  }
  const session = createRuntime({ tools: createFilesystem({ mounts: { "/": root } }).tools }).open({ approve: "all" });
  const elsewhere = swapped === "race" ? outside : join(outside, "secret.txt");
  return { session, outside, swapping: { path: join(root, swapped), elsewhere } };
}

/** Calls while another process exchanges: how many calls worked, how many leaked, and how often it was exchanged. */
async function race({ path, elsewhere }: Arranged["swapping"], call: (round: number) => Promise<Result>) {
  const child = spawn(process.execPath, [SWAP, path, elsewhere], { stdio: ["pipe", "pipe", "inherit"] });
  const closed = once(child, "close");
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  await once(child.stdout, "data");
  let [done, leaks] = [0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    const result = await call(round);
    if (result.ok) done++;
    if (JSON.stringify(result).includes("SECRET-OUTSIDE")) leaks++;
  }
  child.stdin.end();
  expect(await closed).toEqual([0, null]);
  const swaps = Number(said.split("\n")[1]);
  return { done, leaks, swaps };
}
