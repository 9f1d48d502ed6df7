import { mkdtempSync, readFile, rmSync, writeFileSync } from "node:fs";
import { readFile as readFilePromise } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createRuntime } from "pegboard";
import { createFilesystem } from "pegboard/node";
import { MAX_FILE_BYTES } from "../packages/pegboard/src/node/files/access.ts";
import { locate } from "../packages/pegboard/src/node/files/mounts.ts";
import { readWhole, withFile } from "../packages/pegboard/src/node/files/read-inside.ts";
import { type Contestant, measure, median, ratio } from "./measure.ts";
import { type Report, toTime } from "./report.ts";

const LINE = "a line of a file that is read by an agent, of a common length\n";
const SIZES = { "4 kB": 64, "60 kB": 1_000 };
const readByCallback = promisify(readFile);

/** What it costs that a file is found inside its folder, opened, checked and only then read. */
export async function files(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "pegboard-bench-"));
  try {
    const table = [["", ...Object.keys(SIZES)]];
    const ratios = [];
    for (const [size, lines] of Object.entries(SIZES)) {
      const file = join(folder, "a.txt");
      writeFileSync(file, LINE.repeat(lines));
      const measured = await measure(contestants(folder, file), { warmUpMs: 300, rounds: 9 });
      const [callback, promise, ...ours] = measured;
      for (const [index, { name, ns }] of measured.entries()) (table[index + 1] ??= [name]).push(toTime(median(ns)));
      for (const one of ours)
        ratios.push({ name: `${one.name} / fs.readFile, ${size}`, value: ratio(one, callback!), target: 2.5 });
      ratios.push({ name: `fs/promises readFile / fs.readFile, ${size}`, value: ratio(promise!, callback!) });
    }
    return {
      title: "files: reading a file inside a rooted folder",
      table,
      ratios,
      notes: ["A call adds the schema check, policy, limits and the log (in memory here)."],
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function contestants(folder: string, file: string): Contestant[] {
  const filesystem = createFilesystem({ mounts: { "/": folder } });
  const tool = filesystem.tools.find(({ name }) => name === "read_file")!;
  const session = createRuntime({ tools: filesystem.tools }).open();
  const context = {
    callId: "c",
    session: { id: "s", cwd: "/", env: {}, metadata: {} },
    signal: new AbortController().signal,
    progress() {},
    call: () => session.call("read_file"),
  };
  return [
    { name: "fs.readFile", run: () => readByCallback(file, "utf8") },
    { name: "fs/promises readFile", run: () => readFilePromise(file, "utf8") },
    {
      name: "opened, checked, read",
      run: () =>
        withFile(locate(filesystem.mounts(), "/a.txt"), async (open) =>
          (await readWhole(open, MAX_FILE_BYTES, "/a.txt")).toString("utf8"),
        ),
    },
    { name: "the tool read_file", run: () => tool.execute({ path: "/a.txt" }, context) },
    { name: "a call of read_file", run: () => session.call("read_file", { path: "/a.txt" }) },
  ];
}
