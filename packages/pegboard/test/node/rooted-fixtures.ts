import { execFileSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** One thing to make below the base folder, as the corpus describes it. */
export interface Fixture {
  readonly mk: "file" | "dir" | "symlink" | "hardlink" | "fifo" | "sparse" | "bytesname" | "socket" | "deep" | "many";
  readonly path: string;
  readonly text?: string;
  readonly to?: string;
  readonly size?: number;
  readonly depth?: number;
  readonly count?: number;
}

/** A folder with everything a rooted folder has to cope with. */
export interface Fixtures extends AsyncDisposable {
  readonly base: string;
}

/** Builds fixtures in a temporary folder. */
export async function buildFixtures(fixtures: readonly Fixture[]): Promise<Fixtures> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "pegboard-rooted-")));
  const closing: (() => Promise<unknown>)[] = [];
  const make: Record<Fixture["mk"], (fixture: Fixture, path: string) => unknown> = {
    file: ({ text = "" }, path) => writeFileSync(path, text),
    dir: (_, path) => mkdirSync(path),
    symlink: ({ to = "" }, path) => symlinkSync(to.replaceAll("{{BASE}}", base), path),
    hardlink: ({ to = "" }, path) => linkSync(join(base, to), path),
    fifo: (_, path) => execFileSync("mkfifo", [path]),
    sparse: ({ size = 0 }, path) => (writeFileSync(path, ""), truncateSync(path, size)),
    bytesname: (_, path) => writeFileSync(toBytes(path), "BYTES"),
    socket: async (_, path) => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(path, resolve));
      closing.push(() => new Promise((resolve) => server.close(resolve)));
    },
    deep: ({ depth = 0 }, path) => mkdirSync(join(path, "d/".repeat(depth)), { recursive: true }),
    many: ({ count = 0 }, path) => {
      mkdirSync(path);
      for (let index = 0; index < count; index++) writeFileSync(join(path, `f${index}`), "");
    },
  };
  for (const fixture of fixtures) {
    const path = join(base, fixture.path);
    mkdirSync(dirname(path), { recursive: true });
    await make[fixture.mk](fixture, path);
  }
  return {
    base,
    async [Symbol.asyncDispose]() {
      for (const close of closing) await close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** `\xff` in a name stands for that byte. */
function toBytes(path: string): Buffer {
  return Buffer.from(
    path.replaceAll(/\\x([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
}
