import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type ChildOptions, start } from "./child.ts";
import type { DiskOperation } from "./simulated-disk.ts";

const WATCHED =
  "openat,creat,write,pwrite64,writev,pwritev,ftruncate,truncate,fallocate,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,close";

/**
 * Runs a script of this folder and records what it does to the disk below `folder`/disk, in order. A line that it writes to
 * `folder`/marks becomes a mark. Throws for an operation that is not known here.
 */
export async function record(
  script: string,
  folder: string,
  options: ChildOptions = {},
): Promise<readonly DiskOperation[]> {
  const trace = join(folder, "trace");
  const under = ["strace", "-f", "-y", "-xx", "-s", "1000000", "--seccomp-bpf", "-o", trace, "-e", `trace=${WATCHED}`];
  const child = start(script, [folder], { ...options, under });
  expect(await child.exit).toMatchObject({ code: 0 });
  const lines = readFileSync(trace, "latin1").split("\n");
  rmSync(trace);
  return toOperations(lines, folder);
}

function toOperations(lines: readonly string[], folder: string): readonly DiskOperation[] {
  const disk = join(folder, "disk");
  const positions = new Map<string, number>();
  const operations: DiskOperation[] = [];
  for (const { name, args, result } of toCalls(lines)) {
    const paths = [...args.matchAll(/[<"]((?:\\x[0-9a-f]{2})+)[>"]/g)].map(([, text]) => toBytes(text!).toString());
    const [handle = ""] = /^\d+/.exec(name === "openat" ? result : args) ?? [];
    if (/p?writev?(64)?/.test(name) && paths[0] === join(folder, "marks"))
      operations.push({ kind: "mark", text: paths[1]!.trim() });
    // The file of an open is the one that it yields: what is named may be relative.
    const path = name === "openat" ? toBytes(/<([^>]*)>/.exec(result)?.[1] ?? "").toString() : (paths[0] ?? "");
    if (name === "openat") positions.set(handle, 0);
    // The memory that processes share is no part of what survives.
    if (!`${path}/`.startsWith(`${disk}/`) || path.endsWith("-shm")) continue;
    operations.push(
      ...toDisk(name, args, path.slice(disk.length + 1), paths[1]?.slice(disk.length + 1), handle, positions),
    );
  }
  return operations;
}

function toDisk(
  name: string,
  args: string,
  path: string,
  second: string | undefined,
  handle: string,
  positions: Map<string, number>,
): DiskOperation[] {
  const numbers = /, (\d+)(?:, (\d+))?$/.exec(args)?.slice(1).map(Number) ?? [];
  switch (name) {
    case "openat":
      return [
        ...(args.includes("O_CREAT") ? [{ kind: "make" as const, path }] : []),
        ...(args.includes("O_TRUNC") ? [{ kind: "cut" as const, path, size: 0 }] : []),
      ];
    case "pwrite64":
      return [{ kind: "write", path, bytes: toData(args), offset: numbers[1]! }];
    case "write": {
      const bytes = toData(args);
      const offset = positions.get(handle)!;
      positions.set(handle, offset + bytes.length);
      return [{ kind: "write", path, bytes, offset }];
    }
    case "ftruncate":
      return [{ kind: "cut", path, size: numbers[0]! }];
    case "fsync":
    case "fdatasync":
      return [{ kind: "sync", path }];
    case "mkdir":
      return [{ kind: "make", path, folder: true }];
    case "rename":
      return [{ kind: "rename", path, to: second! }];
    case "unlink":
    case "rmdir":
      return [{ kind: "remove", path }];
    case "close":
      return [];
    default:
      throw new Error(`The simulated disk does not know ${name}(${args.slice(0, 200)})`);
  }
}

/** The calls that succeeded, in the order in which they returned. */
function* toCalls(lines: readonly string[]): Generator<{ name: string; args: string; result: string }> {
  const unfinished = new Map<string, string>();
  for (const line of lines) {
    const [, pid = "", rest = ""] = /^(\d+) +(.*)$/s.exec(line) ?? [];
    if (rest.endsWith(" <unfinished ...>")) {
      unfinished.set(pid, rest.slice(0, -" <unfinished ...>".length));
      continue;
    }
    const [, after] = /^<\.\.\. \w+ resumed>(.*)$/s.exec(rest) ?? [];
    const whole = after === undefined ? rest : unfinished.get(pid) + after;
    const end = whole.lastIndexOf(") ");
    const begin = whole.indexOf("(");
    const result = whole.slice(end + 1).replace(/^ *= /, "");
    if (begin < 0 || end < 0 || result.startsWith("-1")) continue;
    yield { name: whole.slice(0, begin), args: whole.slice(begin + 1, end), result };
  }
}

function toData(args: string): Buffer {
  const begin = args.indexOf('"');
  return toBytes(args.slice(begin + 1, args.indexOf('"', begin + 1)));
}

function toBytes(escaped: string): Buffer {
  return Buffer.from(escaped.replaceAll("\\x", ""), "hex");
}
