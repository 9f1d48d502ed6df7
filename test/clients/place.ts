import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";

/** The command itself. */
export const BIN = fileURLToPath(new URL("../../packages/pegboard/bin/pegboard.js", import.meta.url));

/** The tools that every client meets: each has another end. Schemas are such as some clients refuse when they see them. */
const TOOLS = `
const tool = (name, description, properties, more) => ({
  name, description, approval: "preApproved", input: { type: "object", properties }, ...more,
});
export const greet = tool("greet", "Greets somebody", { name: { type: "string" } }, {
  execute: ({ name }) => "Hello, " + name,
});
export const measure = tool("measure", "Measures a parcel", { grams: { type: "integer", minimum: 1 } }, {
  input: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { grams: { type: "integer", minimum: 1 }, note: true },
    required: ["grams"],
    anyOf: [{ required: ["grams"] }, { required: ["note"] }],
  },
  output: { type: "object", properties: { kilograms: { type: "number" } }, required: ["kilograms"] },
  execute: ({ grams }) => ({ kilograms: grams / 1000 }),
});
export const novel = tool("novel", "Tells a very long story", {}, {
  execute: () => Array.from({ length: 40000 }, (_, line) => "chapter " + line).join("\\n"),
});
export const burn = tool("burn", "Burns a letter", { letter: { type: "string" } }, {
  approval: "ask",
  execute: ({ letter }) => letter + " is ashes",
});
export const secret = tool("secret", "Is for nobody", {}, { execute: () => "told" });
export const stumble = tool("stumble", "Fails", {}, {
  execute() { throw new Error("the ladder broke"); },
});
export const climb = tool("climb", "Climbs step by step", { steps: { type: "integer" } }, {
  async execute({ steps }, { progress, signal }) {
    for (let step = 1; step <= steps; step++) {
      progress("step " + step, { current: step, total: steps });
      await new Promise((done) => setTimeout(done, 100));
      signal.throwIfAborted();
    }
    return "on top";
  },
});
`;

const CONFIG = "version: 1\npolicy:\n  rules:\n    - { tool: secret, approval: blocked }\n";

/** What clients of this workspace are offered, besides what is built in. */
export const OFFERED = ["burn", "climb", "greet", "measure", "novel", "stumble"] as const;

/** How a call ended, in the log. */
export interface LoggedCall {
  readonly tool: string;
  readonly ok: boolean;
  readonly error?: { readonly code: string };
}

/** A workspace with a person of its own, whose home is nowhere else. */
export interface ClientPlace {
  readonly folder: string;
  readonly home: string;
  /** The whole environment of whatever is started for this person. */
  readonly env: Readonly<Record<string, string>>;
  write(path: string, text: string): void;
  /** Runs the command; what it printed. Rejects when it fails. */
  run(...argv: readonly string[]): Promise<string>;
  /** The calls that ended last, in order. */
  calls(): Promise<readonly LoggedCall[]>;
  /** Allows the next request that nobody has answered. */
  allowNext(): Promise<void>;
  remove(): void;
}

/** Makes a trusted workspace with the tools that every client meets. */
export async function makeClientPlace(): Promise<ClientPlace> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pegboard-clients-")));
  const [folder, home] = [join(root, "workspace"), join(root, "home")];
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env["PATH"]!}`,
    HOME: home,
  };
  const run = async (...argv: readonly string[]) =>
    (await promisify(execFile)(process.execPath, [BIN, ...argv], { cwd: folder, env })).stdout;
  const place: ClientPlace = {
    folder,
    home,
    env,
    run,
    write(path, text) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    async calls() {
      const lines = (await run("log", "--type", "call-end", "--json")).split("\n").filter(Boolean);
      return lines.map((line) => (JSON.parse(line) as { data: LoggedCall }).data);
    },
    async allowNext() {
      for (;;) {
        const { approvals } = JSON.parse(await run("approvals", "list", "--json")) as { approvals: { id: string }[] };
        if (approvals[0]) return void (await run("approvals", "answer", approvals[0].id, "allow"));
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
  mkdirSync(home, { recursive: true });
  place.write("pegboard.yaml", CONFIG);
  place.write("tools/shop.mjs", TOOLS);
  await run("trust", "--yes");
  return place;
}

/** A server of a place that runs. */
export interface ClientServer {
  /** Where MCP is spoken. */
  readonly url: string;
  readonly token: string;
  stop(): Promise<void>;
}

/** Serves a place at a free port. Rejects with what it said when it does not come up. */
export async function serveClients({ folder, env }: ClientPlace): Promise<ClientServer> {
  const child = spawn(process.execPath, [BIN, "serve", "--trust", "--port", "0", "--json"], { cwd: folder, env });
  const failed = once(child, "close").then(() => Promise.reject(new Error("The server ended before it was ready")));
  const [line] = (await Promise.race([once(child.stdout, "data"), failed])) as [Buffer];
  failed.catch(() => {});
  const { url, token } = JSON.parse(line.toString()) as { url: string; token: string };
  return { url: `${url}/mcp`, token: readFileSync(token, "utf8").trim(), stop: () => end(child) };
}

async function end(child: ChildProcess): Promise<void> {
  const closed = once(child, "close");
  child.kill("SIGTERM");
  await closed;
}
