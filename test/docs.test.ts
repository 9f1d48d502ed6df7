import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { ERRORS, type ErrorCode, type Json } from "@pegboard/contract";
import { afterAll, describe, expect, test } from "vitest";
import { AGENT_FIELDS } from "../packages/pegboard/src/agents/agent-fields.ts";
import { parseAgentFile } from "../packages/pegboard/src/agents/agent-file.ts";
import { PROMPT_TOOL_KEYS } from "../packages/pegboard/src/agents/prompt-tool-entry.ts";
import { exitCodeOf } from "../packages/pegboard/src/cli/exit-code.ts";
import { atPointer } from "../packages/pegboard/src/core/json.ts";
import { PROVIDERS } from "../packages/pegboard/src/models/registry.ts";
import { CONFIG_SCHEMA } from "../packages/pegboard/src/node/config-schema.ts";
import { PROTECTED_NAMES } from "../packages/pegboard/src/node/files/protected.ts";
import { describeDiagnostic, openWorkspace } from "../packages/pegboard/src/node/index.ts";
import type { CommandType } from "../packages/pegboard/src/transports/native/command-types.ts";
import { COMMANDS } from "../packages/pegboard/src/transports/native/commands.ts";
import { ROUTES } from "../packages/pegboard/src/transports/native/routes.ts";
import { VERSION } from "../packages/pegboard/src/version.ts";
import { commandProblems, createSilentProgram, toReference } from "./command-lines.ts";
import { anchorsOf, type Block, blocksOf, inlineCodeOf, linksOf, tableBelow } from "./markdown.ts";
import { createReader } from "./reader.ts";

/** The documents whose every example is followed. */
const GUIDES = ["README.md", "CONTRIBUTING.md", ...globSync("docs/*.md").sort()];
const ALL = [...new Set([...GUIDES, ...globSync(["*.md", "docs/**/*.md", "packages/*/*.md"])])];
/** Languages of blocks that show something and ask for nothing. */
const SHOWN = ["", "text", "json", "markdown"];

const { program } = createSilentProgram();
const scripts = Object.keys((JSON.parse(read("package.json")) as { scripts: object }).scripts);

const root = mkdtempSync(join(tmpdir(), "pegboard-docs-"));
symlinkSync(resolve("node_modules"), join(root, "node_modules"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test.concurrent.each(GUIDES)("a reader of %s can follow every example", { timeout: 60_000 }, async (file) => {
  const reader = createReader(join(root, basename(file, ".md")), join(root, "home", basename(file)));
  const blocks = blocksOf(read(file));
  const problems: string[] = [];
  for (const block of blocks) {
    const found = [...statedProblems(block), await reader.follow(block)].filter((problem) => problem !== undefined);
    problems.push(...found.map((problem) => `${file}:${block.line} ${problem}`));
  }
  if (blocks.some(({ marker }) => marker?.kind === "file")) {
    problems.push(
      ...(await loadingProblems(reader.cwd)).map((problem) => `${file}: its files do not load: ${problem}`),
    );
  }
  expect(problems).toEqual([]);
});

test("the TypeScript of all documents has the types that it claims", () => {
  writeFileSync(join(root, "package.json"), JSON.stringify({ type: "module" }));
  const compilerOptions = { noEmit: true, customConditions: ["pegboard:source"], types: ["node"] };
  writeFileSync(
    join(root, "tsconfig.json"),
    JSON.stringify({ extends: resolve("tsconfig.base.json"), compilerOptions, include: ["**/*.ts"] }),
  );
  expect(typeErrors()).toEqual([]);
});

describe("a document", () => {
  test.each(ALL)("%s leads only to places that there are", (file) => {
    const targets = linksOf(read(file)).filter((target) => !/^[a-z]+:/.test(target));
    expect(targets.filter((target) => !leadsSomewhere(target, file))).toEqual([]);
  });

  test.each(ALL)("%s names only commands and options that there are", (file) => {
    const lines = inlineCodeOf(read(file)).filter((code) => /^(npx )?pegboard [a-z-]|^npm /.test(code));
    expect(commandProblems(lines.join("\n"), program, scripts)).toEqual([]);
  });
});

describe("the reference", () => {
  test("docs/errors.md lists the codes of the table, their meanings and their exit codes", () => {
    const expected = Object.entries(ERRORS).map(([code, meaning]) => [
      `\`${code}\``,
      meaning,
      String(exitCodeOf(code as ErrorCode)),
    ]);
    expect(tableBelow(read("docs/errors.md"), "The table")).toEqual(expected);
  });

  test("docs/cli.md is the help of every command", async () => {
    await expect(toReference()).toMatchFileSnapshot("../docs/cli.md");
  });

  test.each([
    ["The keys of pegboard.yaml", ""],
    ["providers", "/providers/additionalProperties"],
    ["prices", "/prices/additionalProperties"],
    ["agents", "/agents"],
    ["toolsets", "/toolsets/additionalProperties"],
    ["Virtual files", "/toolsets/properties/vfs"],
    ["Real files", "/toolsets/properties/filesystem"],
    ["Commands", "/toolsets/properties/shell"],
    ["Rules for commands", "/toolsets/properties/shell/properties/rules/items"],
    ["tools", "/tools/items"],
    ["limits", "/limits"],
    ["budget", "/limits/properties/budget"],
    ["delegation", "/delegation"],
    ["plugins", "/plugins"],
    ["policy", "/policy"],
    ["Rules", "/policy/properties/rules/items"],
  ])("docs/configuration.md lists the keys of %s", (heading, path) => {
    expect(firstColumn("docs/configuration.md", heading)).toEqual(Object.keys(schemaAt(path)));
  });

  test.each([
    ["The key `web`", "/web"],
    ["The key `web_search`", "/web_search"],
  ])("docs/web.md lists the keys of %s", (heading, path) => {
    expect(firstColumn("docs/web.md", heading)).toEqual(Object.keys(schemaAt(path)));
  });

  test("docs/sandbox.md lists the keys of the sandbox", () => {
    expect(firstColumn("docs/sandbox.md", "The key `sandbox`").slice(0, 4)).toEqual(Object.keys(schemaAt("/sandbox")));
  });

  test.each([
    ["The fields", AGENT_FIELDS],
    ["Prompt tools", PROMPT_TOOL_KEYS],
  ])("docs/agents.md lists the keys of %s", (heading, keys) => {
    expect(firstColumn("docs/agents.md", heading).sort()).toEqual([...keys].sort());
  });

  test("docs/protocol.md lists the commands of the table and their routes", () => {
    const expected = Object.entries(ROUTES).map(([type, route]) => [
      `\`${type}\``,
      `\`${route}\``,
      COMMANDS[type as CommandType].description,
    ]);
    expect(tableBelow(read("docs/protocol.md"), "The commands")).toEqual(expected);
  });

  test.each(["requirements", "attachments"])("docs/agents.md lists only keys of %s that there are", (field) => {
    const heading = field[0]!.toUpperCase() + field.slice(1);
    const keys = firstColumn("docs/agents.md", heading).map((key) => `  ${key}: 1\n`);
    const { diagnostics } = parseAgentFile(`---\nname: a\n${field}:\n${keys.join("")}---\nYou help.\n`);
    expect(keys).not.toEqual([]);
    expect(diagnostics.filter(({ code }) => code === "unknown_key")).toEqual([]);
  });

  test("docs/agents.md lists the providers of models and their variables", () => {
    const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(", ");
    const expected = Object.entries(PROVIDERS).map(([name, { keys, urlVariable }]) => [
      code([name]),
      code(keys),
      code([urlVariable]),
    ]);
    expect(tableBelow(read("docs/agents.md"), "Providers")).toEqual(expected);
  });

  test("docs/configuration.md lists every environment variable that is read", () => {
    const sources = globSync(["packages/pegboard/src/**/*.ts", "packages/pegboard/bin/*.js"]).map(read).join("\n");
    const found = new Set(sources.match(/\bPEGBOARD_[A-Z]+(?:_[A-Z]*)*/g));
    // Passed from one process of the command to the next; nobody else sets it.
    found.delete("PEGBOARD_RERUN");
    expect(firstColumn("docs/configuration.md", "Environment variables").sort()).toEqual([...found].sort());
  });

  test("docs/security.md names only code and tests that there are", () => {
    const named = inlineCodeOf(read("docs/security.md")).filter((code) => /^\/?(src|test)\//.test(code));
    expect(named).not.toEqual([]);
    const place = (path: string) => (path.startsWith("/") ? path.slice(1) : join("packages/pegboard", path));
    expect(named.filter((path) => !existsSync(place(path)))).toEqual([]);
  });

  test("docs/files.md lists every name that is never changed without asking", () => {
    expect(PROTECTED_NAMES.filter((name) => !inlineCodeOf(read("docs/files.md")).includes(name))).toEqual([]);
  });

  test("the version is the same everywhere, and the changelog has it or what comes next", () => {
    for (const name of ["contract", "pegboard"])
      expect(JSON.parse(read(`packages/${name}/package.json`))).toMatchObject({ version: VERSION });
    expect(read("CHANGELOG.md")).toMatch(new RegExp(`^## (Unreleased|\\[?${VERSION.replaceAll(".", "\\.")})`, "m"));
  });
});

describe("the checker", () => {
  const markdown = "<!-- file a.ts -->\n```ts\nx\n```\n\n`code` [a](b.md#c-d) `[no](link)`\n\n## C, d!\n";

  test("finds blocks with their markers, links and anchors", () => {
    expect(blocksOf(markdown)).toEqual([
      { language: "ts", text: "x\n", line: 2, marker: { kind: "file", path: "a.ts" } },
    ]);
    expect([linksOf(markdown), anchorsOf(markdown), inlineCodeOf(markdown)]).toEqual([
      ["b.md#c-d"],
      ["c-d"],
      ["code", "[no](link)"],
    ]);
  });

  test.each([
    ["pegboard fly", 'pegboard has no command "fly"'],
    ["cd x && pegboard policy fly", 'pegboard policy has no command "fly"'],
    ["X=1 npx pegboard list --wings", "pegboard list has no option --wings"],
    ["echo '{}' | pegboard call a --wings=2", "pegboard call has no option --wings"],
    ["npm run fly", 'npm has no script "fly"'],
  ])("refuses %s", (line, problem) => {
    expect(commandProblems(line, program, scripts)).toEqual([problem]);
  });

  test.each([
    "pegboard -C dir list --json",
    "pegboard --help",
    "pegboard call a b='--c d' n:=-1 # --wings",
    "source <(pegboard completion bash)",
    "npm ci",
  ])("takes %s", (line) => {
    expect(commandProblems(line, program, scripts)).toEqual([]);
  });

  test("refuses an example that nothing checks", () => {
    const [code, shell, output] = blocksOf("```ts\nx\n```\n\n```sh\npegboard fly\n```\n\n```text\nx\n```\n");
    expect([code, shell, output].map((block) => statedProblems(block!).length)).toEqual([1, 1, 0]);
  });

  test.each([
    ["ts", "run", "process.exit(1);\n"],
    ["ts", "from package.json", "not a line of it\n"],
    ["yaml", "config", "version: 1\nwings: 2\n"],
    ["sh", "run", "false\n"],
    ["sh", "run", "true # exits with 1\n"],
    ["text", "fly", ""],
  ])("does not let a %s block with the marker %s pass when it is wrong", async (language, marker, text) => {
    const [block] = blocksOf(`<!-- ${marker} -->\n\`\`\`${language}\n${text}\`\`\`\n`);
    expect(await createReader(join(root, "checker"), join(root, "home")).follow(block!)).toBeDefined();
  });
});

/** What is wrong with a block whatever it does: it names what is not there, or does not say how it is checked. */
function statedProblems({ language, text, marker }: Block): string[] {
  if (language === "sh") return commandProblems(text, program, scripts);
  return marker || SHOWN.includes(language) ? [] : ["needs a marker that says how it is checked: see CONTRIBUTING.md"];
}

async function loadingProblems(folder: string): Promise<string[]> {
  if (!existsSync(join(folder, "pegboard.yaml"))) writeFileSync(join(folder, "pegboard.yaml"), "version: 1\n");
  const workspace = await openWorkspace(folder, { trust: true, home: join(root, "home", "nobody") });
  await workspace.close();
  return workspace.diagnostics.map(describeDiagnostic);
}

function read(file: string): string {
  return readFileSync(file, "utf8");
}

// What is wrong in the repository's own files is told by its own type check.
function typeErrors(): string[] {
  try {
    execFileSync(resolve("node_modules/.bin/tsc"), ["-p", root], { cwd: root, encoding: "utf8", stdio: "pipe" });
    return [];
  } catch (error) {
    return (error as { stdout: string }).stdout.split("\n").filter((line) => line !== "" && !line.startsWith("../"));
  }
}

function leadsSomewhere(target: string, file: string): boolean {
  const [path = "", anchor] = target.split("#");
  const place = path === "" ? file : join(dirname(file), path);
  return existsSync(place) && (anchor === undefined || anchorsOf(read(place)).includes(anchor));
}

function schemaAt(path: string): object {
  return atPointer(CONFIG_SCHEMA as Json, path === "" ? "/properties" : `/properties${path}/properties`) as object;
}

function firstColumn(file: string, heading: string): string[] {
  return tableBelow(read(file), heading).map(([cell]) => cell!.replaceAll("`", ""));
}
