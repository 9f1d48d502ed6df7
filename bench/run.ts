import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Report, toText } from "./report.ts";

const BENCHMARKS: Readonly<Record<string, () => Promise<Report>>> = {
  call: async () => (await import("./call.ts")).call(),
  scale: async () => (await import("./scale.ts")).scale(),
  list: async () => (await import("./list.ts")).list(),
  memory: async () => (await import("./memory.ts")).memory(),
  cold: async () => (await import("./cold.ts")).cold(),
  sqlite: async () => (await import("./sqlite.ts")).sqlite(),
  log: async () => (await import("./log.ts")).log(),
  files: async () => (await import("./files.ts")).files(),
  shell: async () => (await import("./shell.ts")).shell(),
  turns: async () => (await import("./turns.ts")).turns(),
  children: async () => (await import("./children.ts")).children(),
  sandbox: async () => (await import("./sandbox.ts")).sandbox(),
  plugins: async () => (await import("./plugins.ts")).plugins(),
  formats: async () => (await import("./formats.ts")).formats(),
  web: async () => (await import("./web.ts")).web(),
  mcp: async () => (await import("./mcp.ts")).mcp(),
  serve: async () => (await import("./serve.ts")).serve(),
  search: async () => (await import("./tool-search.ts")).toolSearch(),
};

const only = process.argv[2] === "--only" ? process.argv[3] : undefined;
const names = Object.keys(BENCHMARKS);

if (process.argv.length > 2 && !BENCHMARKS[only ?? ""]) {
  console.error(`Usage: bench/run.ts [--only ${names.join("|")}]`);
  process.exitCode = 2;
} else if (only) {
  console.log(toText(await BENCHMARKS[only]!()));
} else {
  // Each in a process of its own: what one leaves in the heap and in the compiler must not weigh on the next.
  const failed = names.filter(
    (name) =>
      spawnSync(process.execPath, [...process.execArgv, fileURLToPath(import.meta.url), "--only", name], {
        stdio: "inherit",
      }).status !== 0,
  );
  if (failed.length > 0) {
    console.error(`Did not work: ${failed.join(", ")}`);
    process.exitCode = 1;
  }
}
