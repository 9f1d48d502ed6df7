import type { Tool } from "@pegboard/contract";
import type { Session } from "pegboard";
import { fromAiSdk, isAiSdkTool } from "pegboard/ai-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { install, type Installed } from "./install.ts";
import { hang } from "./hang.ts";

/** How a configuration file names a toolset: what to import, what to call it with, and where the tools are in it. */
interface Entry {
  readonly package: string;
  readonly import: string;
  readonly call?: readonly unknown[];
  readonly select?: string;
}

describe("bash-tool", () => {
  const toolset = installed("bash", { package: "bash-tool", import: "createBashTool", call: [], select: "tools" });

  it("becomes tools that run offline", async () => {
    const { tools, session } = await toolset();
    expect(tools.map(({ name }) => name)).toEqual(["bash", "readFile", "writeFile"]);
    const { ok, structured } = await session.call("bash", { command: "printf 'b\\na\\n' | sort | head -n 1" });
    expect(ok).toBe(true);
    expect(structured).toMatchObject({ stdout: "a\n", exitCode: 0 });
  });

  it("refuses a wrong input", async () => {
    const { session } = await toolset();
    expect((await session.call("bash", { command: 7 })).error?.code).toBe("invalid_input");
  });
});

describe("@github-tools/sdk", () => {
  const entry = { package: "@github-tools/sdk", import: "createGithubTools", call: [{ token: "none" }] };
  const toolset = installed("github", entry);

  it("becomes some 80 tools, half of which ask by their own word", async () => {
    const { tools } = await toolset();
    expect(tools.length).toBeGreaterThanOrEqual(80);
    expect(tools.filter(({ approval }) => approval === "ask").length).toBeGreaterThanOrEqual(40);
    expect(tools.find(({ name }) => name === "createBranch")?.approval).toBe("ask");
    expect(tools.find(({ name }) => name === "listBranches")?.approval).toBeUndefined();
  });

  it("refuses a wrong input", async () => {
    const { session } = await toolset();
    expect((await session.call("listBranches", { owner: 7 })).error?.code).toBe("invalid_input");
  });
});

describe("@exalabs/ai-sdk", () => {
  const toolset = installed("exa", { package: "@exalabs/ai-sdk", import: "webSearch", call: [{ apiKey: "none" }] });

  it("becomes one tool, which refuses a wrong input", async () => {
    const { tools, session } = await toolset();
    expect(tools.map(({ name }) => name)).toEqual(["webSearch"]);
    expect((await session.call("webSearch", {})).error?.code).toBe("invalid_input");
  });
});

describe("@tavily/ai-sdk", () => {
  const toolset = installed("tavily", {
    package: "@tavily/ai-sdk",
    import: "tavilySearch",
    call: [{ apiKey: "none" }],
  });

  it("becomes one tool for each factory, which refuses a wrong input", async () => {
    const { tools, session } = await toolset();
    expect(tools.map(({ name }) => name)).toEqual(["tavilySearch"]);
    expect((await session.call("tavilySearch", { query: 7 })).error?.code).toBe("invalid_input");
  });
});

describe("@agentic/ai-sdk", () => {
  let packages: Installed;
  beforeAll(async () => void (packages = await install("agentic")));
  afterAll(() => packages?.remove());

  it("becomes tools from the old field `parameters`, which calculate", async () => {
    const [{ createAISDKTools }, { calculator }] = [
      await packages.load("@agentic/ai-sdk"),
      await packages.load("@agentic/calculator"),
    ];
    const { tools, skipped } = await fromAiSdk(createAISDKTools?.(calculator));
    expect(skipped).toEqual([]);
    const session = hang(tools);
    expectListed(session);
    expect(await session.call("calculator", { expr: "6 * (3 + 4)" })).toMatchObject({ ok: true, structured: 42 });
    expect((await session.call("calculator", { expr: 42 })).error?.code).toBe("invalid_input");
  });
});

interface Toolset {
  readonly tools: readonly Tool[];
  readonly session: Session;
}

/** Installs before the tests of the group and removes afterwards. */
function installed(row: Parameters<typeof install>[0], entry: Entry): () => Promise<Toolset> {
  let packages: Installed;
  beforeAll(async () => void (packages = await install(row)));
  afterAll(() => packages?.remove());
  return async () => {
    const found = await follow(await packages.load(entry.package), entry);
    const { tools, skipped } = await fromAiSdk(
      isAiSdkTool(found) ? { [entry.import]: found } : (found as Record<string, unknown>),
    );
    expect(skipped).toEqual([]);
    const session = hang(tools);
    expectListed(session);
    return { tools, session };
  };
}

async function follow(exports: Record<string, any>, entry: Entry): Promise<unknown> {
  const exported = exports[entry.import];
  const made = entry.call ? await exported(...entry.call) : exported;
  return entry.select === undefined ? made : made[entry.select];
}

function expectListed(session: Session): void {
  for (const { name, description, inputSchema } of session.list()) {
    expect(description.length, `description of ${name}`).toBeGreaterThan(10);
    expect(inputSchema, `schema of ${name}`).toMatchObject({ type: "object", properties: expect.any(Object) });
  }
}
