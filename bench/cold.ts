import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./measure.ts";
import { type Report, toTime } from "./report.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const RUNS = 15;
const BARE_SERVER = join(ROOT, "bench/serve/bare-server.mjs");
const QUESTIONS = [
  {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1.0.0" } },
  },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/list" },
]
  .map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  .join("");

/** The start of the built command, as an install has it, against that of Node itself. */
export async function cold(): Promise<Report> {
  if (!existsSync(join(ROOT, "packages/pegboard/dist/cli/main.js"))) build();
  const folder = mkdtempSync(join(tmpdir(), "pegboard-bench-"));
  try {
    const command = installIn(folder);
    const workspace = makeWorkspace(folder);
    // Everything that a start leaves behind, the compile cache too, goes with the folder.
    const env = {
      ...process.env,
      PEGBOARD_HOME: join(folder, "home"),
      PEGBOARD_TRUST: "1",
      TMPDIR: folder,
      NO_COLOR: "1",
    };
    const start = (...args: string[]) => run(args, "");
    const ask = (...args: string[]) => {
      const { ns, stdout } = run(args, QUESTIONS);
      if (!stdout.includes('"tools":[')) throw new Error(`${args.join(" ")} does not list its tools: ${stdout}`);
      return ns;
    };
    const run = (args: string[], input: string) => {
      const began = performance.now();
      const { status, stdout, stderr } = spawnSync(process.execPath, args, {
        cwd: workspace,
        env,
        input,
        encoding: "utf8",
      });
      const ms = performance.now() - began;
      if (status !== 0) throw new Error(`node ${args.join(" ")} failed: ${stderr}`);
      return { ns: ms * 1e6, stdout };
    };

    const first = start(command, "list");
    for (const tool of ["hello", "goodbye"]) {
      if (!first.stdout.includes(tool))
        throw new Error(`pegboard list does not show the tool ${tool}: ${first.stdout}`);
    }
    const node: number[] = [];
    const ours: number[] = [];
    const served: number[] = [];
    const bare: number[] = [];
    ask(command, "mcp");
    for (let run = 0; run < RUNS; run++) {
      node.push(start("-e", "0").ns);
      ours.push(start(command, "list").ns);
      served.push(ask(command, "mcp"));
      bare.push(ask(BARE_SERVER));
    }
    return {
      title: "cold: pegboard list in a small workspace, from the start of the process to its end",
      table: [
        ["", "time"],
        ["pegboard list", toTime(median(ours))],
        ["pegboard list, the very first (no compile cache)", toTime(first.ns)],
        ["node -e 0", toTime(median(node))],
        ["pegboard mcp, asked for its tools", toTime(median(served))],
        ["a server of the MCP SDK 2 with one tool, asked likewise", toTime(median(bare))],
      ],
      ratios: [
        { name: "pegboard list / node -e 0", value: median(ours.map((ns, run) => ns / node[run]!)), target: 5 },
        {
          name: "pegboard mcp / a server of the SDK",
          value: median(served.map((ns, run) => ns / bare[run]!)),
          target: 2.5,
        },
      ],
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function build(): void {
  execFileSync("npm", ["run", "build"], { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
}

/** Installs what would be published. Returns the command. */
function installIn(folder: string): string {
  const modules = join(folder, "node_modules");
  const published = { pegboard: "packages/pegboard", "@pegboard/contract": "packages/contract" };
  for (const [name, source] of Object.entries(published)) {
    for (const part of ["package.json", "bin", "dist"]) {
      const from = join(ROOT, source, part);
      if (existsSync(from)) cpSync(from, join(modules, name, part), { recursive: true });
    }
  }
  for (const name of installed(join(ROOT, "node_modules"))) {
    const to = join(modules, name);
    if (existsSync(to)) continue;
    mkdirSync(dirname(to), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), to);
  }
  return join(modules, "pegboard/bin/pegboard.js");
}

function installed(modules: string): string[] {
  const names = readdirSync(modules).filter((name) => !name.startsWith("."));
  return names.flatMap((name) =>
    name.startsWith("@") ? readdirSync(join(modules, name)).map((part) => `${name}/${part}`) : name,
  );
}

function makeWorkspace(folder: string): string {
  const workspace = join(folder, "workspace");
  mkdirSync(join(workspace, "tools"), { recursive: true });
  writeFileSync(join(workspace, "package.json"), '{ "type": "module" }\n');
  writeFileSync(
    join(workspace, "pegboard.yaml"),
    `version: 1
policy:
  rules:
    - { tool: hello, approval: preApproved }
    - { tool: "danger__*", approval: blocked }
`,
  );
  writeFileSync(
    join(workspace, "tools/greet.ts"),
    `import { defineTool } from "@pegboard/contract";

const input = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;

export const hello = defineTool({ name: "hello", description: "Say hello", input, execute: ({ name }) => \`Hello, \${name}!\` });
export const goodbye = defineTool({ name: "goodbye", description: "Say goodbye", input, execute: ({ name }) => \`Goodbye, \${name}!\` });
`,
  );
  return workspace;
}
