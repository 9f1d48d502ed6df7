import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { checkPaths } from "pegboard/node";
import { parse } from "yaml";
import { oddFiles } from "../packages/pegboard/test/agents/foreign/odd-files.ts";
import { measure, median, ratio } from "./measure.ts";
import { type Report, toTime } from "./report.ts";

const FILES = 10_000;
const FRONT_MATTER = /^\uFEFF?\s*---[ \t]*\r?\n([^]*?)\n---/;

/** What it costs to check agents of other programs, against reading the files and parsing their YAML. */
export async function formats(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "pegboard-bench-"));
  try {
    const paths = write(folder);
    const [yaml, checked] = await measure(
      [
        { name: "read, and parse the YAML", run: () => parseAll(paths) },
        { name: "pegboard check", run: () => checkAll(folder, paths.length) },
      ],
      { rounds: 5, warmUpMs: 1_000, roundMs: 1 },
    );
    return {
      title: `formats: ${paths.length} agents as people have them`,
      table: [["", "time"], ...[yaml, checked].map(({ name, ns }) => [name, toTime(median(ns))])],
      ratios: [{ name: "check / reading and parsing", value: ratio(checked, yaml), target: 3 }],
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function write(folder: string): string[] {
  return oddFiles(FILES).map(({ path, text }, index) => {
    const file = join(folder, String(index % 100), path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  });
}

function parseAll(paths: readonly string[]): void {
  for (const path of paths) {
    const yaml = FRONT_MATTER.exec(readFileSync(path, "utf8"))?.[1] ?? "";
    try {
      parse(yaml);
    } catch {
      // Not all of it is YAML.
    }
  }
}

async function checkAll(folder: string, files: number): Promise<void> {
  let seen = 0;
  for await (const _ of checkPaths([folder], { home: join(folder, "home") })) seen++;
  if (seen !== files) throw new Error(`${seen} of ${files} files were checked`);
}
