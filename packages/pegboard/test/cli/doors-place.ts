import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { openaiChat } from "../models/wire/openai-chat.ts";
import { processesIn } from "../node/processes-in.ts";
import { BIN } from "./run.ts";

/** A workspace with the tools and the agent of the kit, and the processes that serve it, for all tests of a file. */
export interface DoorsPlace {
  readonly folder: string;
  /** What has happened to the tools. */
  happened(): readonly string[];
  /** Starts the command there. */
  start(...argv: readonly string[]): ChildProcess;
  readonly env: Readonly<Record<string, string>>;
  /** The server, with its address and token. */
  serve(): Promise<{ readonly url: string; readonly token: string }>;
  reset(): void;
  hangLate(): void;
  close(): Promise<void>;
}

const TOOLS = `import { appendFileSync } from "node:fs";
const note = (what) => appendFileSync(new URL("../happened", import.meta.url), what + "\\n");
const nothing = { type: "object" };
const ready = { approval: "preApproved" };
const said = { type: "object", properties: { text: { type: "string", description: "What to say" } }, required: ["text"] };
const numbers = { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] };
const sums = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };
export const echo = { name: "echo", description: "Says it again", input: said, ...ready, execute: ({ text }) => text };
export const sum = { name: "sum", description: "Adds", input: numbers, output: sums, ...ready, execute: ({ a, b }) => ({ sum: a + b }) };
export const fail = { name: "fail", description: "Fails", input: nothing, ...ready, execute() { throw new Error("it did not work out"); } };
export const wait = { name: "wait", description: "Waits until it is cancelled", input: nothing, ...ready,
  async execute(_, { signal, progress }) {
    progress("waiting", { current: 1, total: 2 });
    note("waits");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    note("cancelled");
    return "cancelled";
  } };
export const ask_first = { name: "ask_first", description: "Needs approval", input: said, approval: "ask",
  execute({ text }) { note("asked " + text); return "asked " + text; } };
export const where = { name: "where", description: "Tells its session", input: nothing, ...ready, execute: (_, { session }) => session.id };
export const big = { name: "big", description: "Says a lot", input: nothing, ...ready, execute: () => "x".repeat(200_000) };
`;
/** A program that ends only when it is killed. */
const STUBBORN = "trap '' TERM; : a stubborn program; while :; do sleep 1; done";
const CONFIG = `version: 1
model: openai-compatible:kit
tools:
  - { name: stubborn, description: Does not want to end, command: [sh, stubborn.sh], requires_approval: false }
`;

/** How many of the stubborn programs of a workspace are alive. */
export function stubbornIn(folder: string): number {
  return processesIn(folder).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("stubborn.sh");
    } catch {
      return false;
    }
  }).length;
}

const LATE = `export const late = { name: "late", description: "Came later", input: { type: "object" }, execute: () => "" };\n`;

/** Makes it. */
export async function openDoorsPlace(): Promise<DoorsPlace> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pegboard-doors-")));
  const [folder, home] = [join(root, "workspace"), join(root, "home")];
  const path = (name: string) => join(folder, name);
  mkdirSync(path("tools"), { recursive: true });
  writeFileSync(path("pegboard.yaml"), CONFIG);
  writeFileSync(path("stubborn.sh"), STUBBORN);
  writeFileSync(path("tools/kit.ts"), TOOLS);
  writeFileSync(path("happened"), "");
  const model = await startModel();
  const env = {
    PATH: process.env["PATH"]!,
    PEGBOARD_HOME: home,
    PEGBOARD_TRUST: "1",
    OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
  };
  const children: ChildProcess[] = [];
  let serving: ReturnType<DoorsPlace["serve"]> | undefined;

  const start: DoorsPlace["start"] = (...argv) => {
    const child = spawn(process.execPath, [BIN, ...argv], { cwd: folder, env, stdio: ["pipe", "pipe", "ignore"] });
    children.push(child);
    return child;
  };
  const serve = async () => {
    const [line] = (await once(start("serve", "--port", "0", "--json").stdout!, "data")) as [Buffer];
    const { url, token } = JSON.parse(line.toString()) as { url: string; token: string };
    return { url, token: readFileSync(token, "utf8").trim() };
  };
  return {
    folder,
    env,
    start,
    happened: () => readFileSync(path("happened"), "utf8").split("\n").slice(0, -1),
    serve: () => (serving ??= serve()),
    reset() {
      writeFileSync(path("happened"), "");
      rmSync(path("tools/late.ts"), { force: true });
    },
    hangLate: () => writeFileSync(path("tools/late.ts"), LATE),
    async close() {
      for (const child of children) {
        if (child.exitCode !== null) continue;
        child.kill("SIGTERM");
        await once(child, "close");
      }
      model.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

interface ChatMessage {
  readonly role: string;
  readonly content: string | readonly { readonly text?: string }[];
}

/** A model that does as it is told: `call echo {"text":"a"}` makes an agent call that tool, and say what came of it. */
async function startModel(): Promise<Server> {
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const { messages } = body as { messages: readonly ChatMessage[] };
      const last = messages.at(-1)!;
      const content = last.content;
      const text = typeof content === "string" ? content : content.map((part) => part.text ?? "").join("");
      const [, tool, input = "{}"] = last.role === "tool" ? [] : (/call (\w+) ?(\{.*\})?/s.exec(text) ?? []);
      const id = `call_${messages.length}`;
      const answer = tool === undefined ? { text } : { calls: [{ id, tool, arguments: input }] };
      const { events, last: end } = openaiChat(answer);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end([...events, ...end].join(""));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}
