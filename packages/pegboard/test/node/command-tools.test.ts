import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Json, Result } from "@pegboard/contract";
import { describe, expect, test } from "vitest";
import type { Event } from "../../src/index.ts";
import corpus from "../corpora/tools.json" with { type: "json" };
import { processesIn } from "./processes-in.ts";
import { type Folder, makeFolder } from "./workspace-folder.ts";

interface Options {
  readonly env?: Record<string, string>;
  readonly timeout?: number | string;
  readonly files?: Readonly<Record<string, string>>;
}

/** A workspace whose one tool is this command. Unconfined, so that every machine shows the same. */
function withCommand(command: readonly string[], { files = {}, ...rest }: Options = {}): Folder {
  const entry = { name: "it", description: "d", command, requires_approval: false, ...rest };
  return makeFolder({
    "pegboard.yaml": JSON.stringify({ version: 1, sandbox: { mode: "process" }, tools: [entry] }),
    ...files,
  });
}

async function call(folder: Folder, input: Json = {}) {
  const workspace = await folder.open();
  const session = workspace.open();
  const result = await session.call("it", input);
  await session.close();
  return { result, events: await Array.fromAsync(session.events()) };
}

const node = (script: string) => [process.execPath, "-e", script];
const sh = (script: string) => ["sh", "-c", script];

describe("a command tool", () => {
  test("A2-06 gets its input as one JSON on standard input, which is closed, in the folder of its file, without a shell", async () => {
    const script = `let text = ""; process.stdin.on("data", (chunk) => text += chunk).on("end", () => console.log(JSON.stringify({ text, cwd: process.cwd(), args: process.argv.slice(1) })))`;
    const folder = withCommand([...node(script), "$HOME", "*", "{{a}}"]);
    const { result } = await call(folder, { a: "ü", b: [1, null] });
    expect(result.structured).toEqual({
      text: `{"a":"ü","b":[1,null]}`,
      cwd: folder.path,
      args: ["$HOME", "*", "{{a}}"],
    });
  });

  test("A2-06 finds a program beside its file by a path", async () => {
    const folder = withCommand(["python3", "tool.py"], {
      files: { "tool.py": "import json, sys\nprint(json.dumps({'got': json.load(sys.stdin)}))\n" },
    });
    expect((await call(folder, { x: 1 })).result.structured).toEqual({ got: { x: 1 } });
  });

  test.each([
    [`{"success":true,"result":[1]}`, [1]],
    [`{"data":{"a":1}}`, { a: 1 }],
    [`{"success":true,"output":"text"}`, "text"],
    [`{"success":true,"rows":2}`, { rows: 2 }],
    [`{"data":1,"total":5}`, { data: 1, total: 5 }],
    [`{"error":null,"result":7}`, 7],
    [`"plain"`, "plain"],
    [`5`, 5],
  ])("A2-07 takes %s for a result", async (output, expected) => {
    const { result } = await call(withCommand(["printf", "%s", output]));
    expect(result.ok).toBe(true);
    expect(result.structured ?? textOf(result)).toEqual(expected);
  });

  test.each([
    [`{"success":false,"error":"no such table","error_type":"query_error"}`, "no such table", "query_error"],
    [`{"error":{"message":"gone","type":"http"}}`, "gone", "http"],
    [`{"error":"plain"}`, "plain", undefined],
    [`{"success":false}`, "The tool failed without saying why", undefined],
  ])("A2-07 takes %s for an error", async (output, message, type) => {
    const { result } = await call(withCommand(["printf", "%s", output]));
    expect(result.error).toEqual({
      code: "tool_error",
      message,
      retryable: false,
      details: { reason: "declared", ...(type && { type }) },
    });
    expect(textOf(result)).toBe(message);
  });

  test.each([
    [
      "nothing",
      sh("echo why >&2"),
      "tool_error",
      "empty_output",
      /^The command sh -c "echo why >&2" wrote nothing .*:\nwhy$/,
    ],
    ["text", sh("echo why >&2; echo hello"), "tool_error", "not_json", /wrote what is not JSON: hello\n:\nwhy$/],
    ["an exit code", sh("echo why >&2; exit 3"), "tool_error", "exit_code", /ended with exit code 3:\nwhy$/],
    [
      "no program",
      ["nosuchprogram", "x"],
      "unavailable",
      "not_found",
      /"nosuchprogram" was not found: .* \(command: nosuchprogram x\)$/,
    ],
    ["a program that cannot be run", ["./tool.py"], "unavailable", "not_executable", /tool\.py is not executable/],
  ])("A2-08 answers with an error of its own for %s", async (_, command, code, reason, message) => {
    const { result } = await call(withCommand(command, { files: { "tool.py": "" } }));
    expect(result.error).toMatchObject({ code, message: expect.stringMatching(message), details: { reason, command } });
    if (code === "tool_error") expect(result.error?.details).toMatchObject({ stderr: "why" });
  });

  test("A2-08 an exit code with a declared error tells both", async () => {
    const { result } = await call(withCommand(sh(`echo '{"error":"no database"}'; exit 1`)));
    expect(result.error?.message).toMatch(/ended with exit code 1:\nno database$/);
  });

  test("A2-09 is gone with its children when its time is up, also when it does not want to", async () => {
    const folder = withCommand(sh(`trap "" TERM; sleep 61 & sleep 62 & wait`), { timeout: "300ms" });
    const workspace = await folder.open();
    const { error } = await workspace.open().call("it");
    expect(error).toMatchObject({
      code: "timeout",
      message: "The tool did not answer within 0.3 seconds",
      details: { timeoutMs: 300 },
    });
    await expect.poll(() => processesIn(folder.path), { timeout: 5_000 }).toEqual([]);
  });

  test("A2-09 leaves nothing behind when it ends by itself", async () => {
    const folder = withCommand(sh(`sleep 63 & sleep 64 >/dev/null 2>&1 & echo '{}'`));
    expect((await call(folder)).result.structured).toEqual({});
    expect(processesIn(folder.path)).toEqual([]);
  });

  test("A2-10 is gone when the call is cancelled", async () => {
    const folder = withCommand(sh("sleep 65"));
    const workspace = await folder.open();
    const control = new AbortController();
    const calling = workspace.open().call("it", {}, { signal: control.signal });
    await expect.poll(() => processesIn(folder.path).length, { timeout: 5_000 }).toBeGreaterThan(0);
    control.abort();
    expect((await calling).error?.code).toBe("cancelled");
    await expect.poll(() => processesIn(folder.path), { timeout: 5_000 }).toEqual([]);
  });

  test("A2-11 tells its standard error as progress and keeps it as a log, and never in the result", async () => {
    const { result, events } = await call(
      withCommand(sh(`echo working >&2; sleep 0.2; echo nearly >&2; echo '{"done":true}'`)),
    );
    expect(result).toMatchObject({
      structured: { done: true },
      content: [{ text: `{"done":true}` }],
      meta: { stderr: "working\nnearly" },
    });
    expect(messagesOf(events)).toEqual(["working", "nearly"]);
  });

  test("A2-11 that writes without end is ended, and the result says so", async () => {
    const started = performance.now();
    const { result } = await call(withCommand(["yes"]));
    expect(result.error).toMatchObject({
      code: "tool_error",
      message: expect.stringMatching(/^The command yes wrote more than 16777216 bytes/),
      details: { reason: "too_much_output" },
    });
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test("A2-12 sees what is on the list and its own settings, and no secret of the host", async () => {
    process.env["HOST_KEY"] = "sk-secret";
    process.env["LC_TEST"] = "C";
    try {
      const folder = withCommand(node(`console.log(JSON.stringify(process.env))`), {
        env: { OWN: "mine", KEY: "key ${HOST_KEY}" },
      });
      const seen = (await call(folder)).result.structured as Record<string, string>;
      expect(seen).toMatchObject({ PATH: process.env["PATH"], OWN: "mine", KEY: "key sk-secret", LC_TEST: "C" });
      const shared = ["PATH", "HOME", "LANG", "LANGUAGE", "TERM", "TMPDIR", "TZ", "OWN", "KEY"];
      expect(Object.keys(seen).filter((name) => !shared.includes(name) && !name.startsWith("LC_"))).toEqual([]);
    } finally {
      delete process.env["HOST_KEY"];
      delete process.env["LC_TEST"];
    }
  });

  test("says which variable its settings miss", async () => {
    const { result } = await call(withCommand(["true"], { env: { KEY: "${NO_SUCH_VARIABLE}" } }));
    expect(result.error).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("NO_SUCH_VARIABLE is not set"),
    });
  });

  test("asks unless its file says otherwise, and counts what it names as its own in what is trusted", async () => {
    const tools = [
      { name: "quiet", description: "d", command: ["python3", "run.py"], requires_approval: false },
      { name: "asks", description: "d", command: ["python3", "run.py"], capabilities: ["read"] },
    ];
    const folder = makeFolder({ "pegboard.yaml": JSON.stringify({ version: 1, tools }), "run.py": "print(1)" });
    const workspace = await folder.open();
    const session = workspace.open();
    expect(session.list().filter(({ source }) => source.kind === "host")).toMatchObject([
      { name: "asks", approval: "ask", capabilities: ["process", "read"] },
      { name: "quiet", approval: "preApproved", capabilities: ["process"] },
    ]);
    expect(workspace.trust.files).toEqual(["pegboard.yaml", "run.py"]);
    expect((await makeUntrusted(folder)).held).toEqual([
      `tool "quiet" (command: ["python3","run.py"])`,
      `tool "asks" (command: ["python3","run.py"])`,
    ]);
  });
});

/** Whether the tool is to be called, and what must be seen then. */
const EXPECTED: Record<string, (result: Result, folder: Folder) => void> = {
  HC01: failsWith("unavailable", /"nosuchprogram" was not found/),
  HC02: failsWith("tool_error", /exit code 3:\nerr$/),
  HC03: failsWith("tool_error", /was ended by SIGKILL/),
  HC04: failsWith("timeout", /did not answer/),
  HC05: failsWith("timeout", /did not answer/),
  HC07: failsWith("tool_error", /wrote more than \d+ bytes/),
  HC08: failsWith("tool_error", /not JSON: ok/),
  HC09: failsWith("tool_error", /not UTF-8/),
  HC10: failsWith("tool_error", /not JSON: \{\{input\}\}/),
  HC11: failsWith("tool_error", /exit code 128/),
  HC12: failsWith("tool_error", /not JSON: \{\{input\}\}/),
  HC15: failsWith("tool_error", /not JSON: /),
  HC16: failsWith("tool_error", /not JSON: \{\{input\}\}/),
  HC17: failsWith("tool_error", /not JSON: \{"a":1\} trailing/),
};

describe("a hostile command", () => {
  const cases: readonly {
    id: string;
    name: string;
    pass: string;
    command: string;
    args: string[];
    input?: string;
    inputRepeat?: number;
  }[] = corpus.commands;

  test.for(cases.filter(({ id }) => id in EXPECTED))(
    "$id $name: $pass",
    async ({ id, command, args, input, inputRepeat = 0 }) => {
      process.env["HOST_KEY"] = "sk-secret";
      try {
        const folder = withCommand([command, ...args], { timeout: ["HC04", "HC05"].includes(id) ? "300ms" : 20 });
        const { result } = await call(folder, { input: input ?? "x".repeat(inputRepeat) });
        EXPECTED[id]!(result, folder);
        expect(JSON.stringify(result)).not.toContain("sk-secret");
        expect(existsSync(join(folder.path, "PWN"))).toBe(false);
        await expect.poll(() => processesIn(folder.path), { timeout: 5_000 }).toEqual([]);
      } finally {
        delete process.env["HOST_KEY"];
      }
    },
  );

  test("HC14 an absolute program asks like any other, and is shown in full to whoever is to trust it", async () => {
    const folder = makeFolder({
      "pegboard.yaml": JSON.stringify({
        version: 1,
        tools: [{ name: "it", description: "d", command: ["/bin/true", "-rf", "/"] }],
      }),
    });
    expect((await makeUntrusted(folder)).held).toEqual([`tool "it" (command: ["/bin/true","-rf","/"])`]);
    const workspace = await folder.open();
    expect(await workspace.open().explain("it")).toMatchObject({ decision: "ask", reason: "it can: process" });
  });

  test("every case of the list is expected somewhere", () => {
    expect(cases.map(({ id }) => id).filter((id) => !(id in EXPECTED))).toEqual(["HC14"]);
  });
});

async function makeUntrusted(folder: Folder) {
  return folder.open({ trust: false });
}

function failsWith(code: string, message: RegExp): (result: Result) => void {
  return (result) => expect(result.error).toMatchObject({ code, message: expect.stringMatching(message) });
}

function textOf({ content }: Result): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

function messagesOf(events: readonly Event[]): string[] {
  return events.flatMap(({ type, data }) => (type === "call-progress" ? (data as { message: string }).message : []));
}
