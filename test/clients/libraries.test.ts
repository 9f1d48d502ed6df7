import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type InstalledFolder, installLocked, type Load, makeLoad } from "../install.ts";
import { aiSdk } from "./libraries/ai-sdk.ts";
import { genkit } from "./libraries/genkit.ts";
import { googleGenai } from "./libraries/google-genai.ts";
import { langchain } from "./libraries/langchain.ts";
import { mastra } from "./libraries/mastra.ts";
import { openaiAgents } from "./libraries/openai-agents.ts";
import { sdk1 } from "./libraries/sdk-1.ts";
import { sdk2 } from "./libraries/sdk-2.ts";
import { strands } from "./libraries/strands.ts";
import { tanstack } from "./libraries/tanstack.ts";
import type { Library, LibraryClient, Line, Reach } from "./library.ts";
import { BIN, type ClientPlace, type ClientServer, makeClientPlace, OFFERED, serveClients } from "./place.ts";

const LIBRARIES: readonly Library[] = [
  sdk1,
  sdk2,
  aiSdk,
  genkit,
  googleGenai,
  langchain,
  mastra,
  openaiAgents,
  strands,
  tanstack,
];
const LINES: readonly Line[] = ["standard streams", "HTTP"];

let installed: InstalledFolder;
let load: Load;
let place: ClientPlace;
let server: ClientServer;
beforeAll(async () => {
  installed = await installLocked("pegboard-libraries-", new URL("./libraries/", import.meta.url), "--omit=optional");
  load = await makeLoad(installed);
  place = await makeClientPlace();
  server = await serveClients(place);
}, 300_000);
afterAll(async () => {
  await server?.stop();
  place?.remove();
  await installed?.remove();
});

const pairs = LIBRARIES.flatMap((library) => LINES.map((line) => ({ library, line, title: library.title })));

describe.for(pairs)("$title over $line", ({ library, line, title }) => {
  let client: LibraryClient;
  beforeAll(async () => {
    client = await library.open(load, toReach(line));
  });
  afterAll(() => client?.close());

  test("hands every tool to the model, with a schema of its input, and none that is blocked", async () => {
    const tools = await client.list();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([...OFFERED]));
    expect(names).not.toContain("secret");
    expect(tools.find(({ name }) => name === "measure")?.schema).toMatchObject({
      type: "object",
      properties: { grams: { type: "integer", minimum: 1 } },
      required: ["grams"],
    });
    for (const { schema } of tools) expect(schema).toMatchObject({ type: "object" });
  });

  test("carries text, structure, failures and progress", async () => {
    expect(await told(client.call("greet", { name: "Ada" }))).toContain("Hello, Ada");
    expect(await told(client.call("measure", { grams: 1500 }))).toMatch(/kilograms\W+1\.5/);
    expect(await told(client.call("measure", { grams: 0 }))).toMatch(/grams|did not match expected schema/);
    expect(await told(client.call("stumble", {}))).toContain("the ladder broke");
    expect(await told(client.call("climb", { steps: 3 }))).toContain("on top");
  });

  test("gets the beginning of what is too long, and reads on", async () => {
    const story = await told(client.call("novel", {}));
    expect(story).toContain("chapter 100");
    expect(story).not.toContain("chapter 39000");
    const [, handle] = /read_result \{\W+handle\W+([\w-]+)/.exec(story) ?? [];
    expect(handle, story.slice(-500)).toBeDefined();
    const offset = [...Array(39_000).keys()].join("chapter \n").length;
    expect(await told(client.call("read_result", { handle, offset }))).toContain("chapter 39001");
  });

  test("waits for a person who answers elsewhere", async () => {
    const [burned] = await Promise.all([
      told(client.call("burn", { letter: `The letter of ${title}` })),
      place.allowNext(),
    ]);
    expect(burned).toContain(`The letter of ${title} is ashes`);
  });

  test.runIf(library.cancels.includes(line))("ends the call on the server when it is cancelled", async () => {
    const leaving = new AbortController();
    const climbing = told(client.call("climb", { steps: 300 }, leaving.signal));
    setTimeout(() => leaving.abort(), 500);
    expect(await climbing).toMatch(/abort/i);
    await vi.waitFor(
      async () => expect((await place.calls()).at(-1)).toMatchObject({ tool: "climb", error: { code: "cancelled" } }),
      { timeout: 10_000, interval: 300 },
    );
  });

  test.runIf(!library.listsOnce)("offers a tool that has come meanwhile", async () => {
    const name = `late_${pairs.findIndex((pair) => pair.library === library && pair.line === line)}`;
    const tool = `{ name: "${name}", description: "Is late", input: { type: "object" }, execute: () => "here" }`;
    place.write(`tools/${name}.mjs`, `export const late = ${tool};\n`);
    await vi.waitFor(async () => expect((await client.list()).map((one) => one.name)).toContain(name), {
      timeout: 10_000,
      interval: 200,
    });
  });
});

function toReach(line: Line): Reach {
  return line === "HTTP"
    ? { url: server.url, headers: { Authorization: `Bearer ${server.token}` } }
    : { command: process.execPath, args: [BIN, "mcp", "--trust"], env: { ...place.env }, cwd: place.folder };
}

/** What came of a call, whether it was given or thrown, as text. */
async function told(calling: Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await calling);
  } catch (error) {
    return error instanceof Error ? error.message : JSON.stringify(error);
  }
}
