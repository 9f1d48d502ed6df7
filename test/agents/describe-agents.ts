import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { makeClientPlace, serveClients, type ClientPlace } from "../clients/place.ts";
import { type InstalledFolder, installLocked } from "../install.ts";
import { type Agent, makeAgentStage } from "./agent.ts";
import { startModel } from "./model-server.ts";
import { followSteps } from "./script.ts";

const STEPS = [
  { tool: "greet", input: { name: "Ada" } },
  { tool: "vfs_list", input: {} },
  { tool: "stumble", input: {} },
];

/** What comes to our log of it. Some agents list files by themselves as well. */
const CALLED = [
  ["greet", true],
  ["stumble", false],
];
/** What the model is told of it. */
const TOLD = ["Hello, Ada", "There are no files yet", "the ladder broke"];

/**
 * Tests agents that are installed from one folder: each starts with nothing but what `pegboard connect` wrote for it. What
 * cannot be had on a machine fails, unless `PEGBOARD_TEST_WITHOUT` names it.
 */
export function describeAgents(all: readonly Agent[], folder: URL): void {
  const without = (process.env["PEGBOARD_TEST_WITHOUT"] ?? "").split(",");
  const agents = all.filter(({ client }) => !without.includes(client));
  if (agents.length < all.length)
    process.stderr.write(`######## NOT RUN: ${without.join(", ")}. What these agents do is not shown. ########\n`);
  let installed: InstalledFolder;
  beforeAll(async () => {
    installed = await installLocked("pegboard-agents-", folder);
  }, 600_000);
  afterAll(() => installed?.remove());

  describe.for(agents)("$title", (agent) => {
    test("calls our tools as pegboard connect has told it, and its model gets every result", async () => {
      const { calls, told, output } = await drive(agent, await makePlace(), installed);
      expect(calls, output).toEqual(CALLED);
      expect(TOLD.filter((words) => !told.includes(words))).toEqual([]);
    });

    if (!agent.http) return;
    test("calls our tools at an address, with the token of its environment", async () => {
      const place = await makePlace();
      const server = await serveClients(place);
      onTestFinished(() => server.stop());
      const flags = ["--http", "--url", server.url];
      const { calls, told, output } = await drive(agent, place, installed, flags, { PEGBOARD_TOKEN: server.token });
      expect(calls, output).toEqual(CALLED);
      expect(TOLD.filter((words) => !told.includes(words))).toEqual([]);
    });
  });
}

async function makePlace(): Promise<ClientPlace> {
  const place = await makeClientPlace();
  onTestFinished(() => place.remove());
  return place;
}

/** Lets an agent work: what came to our log, what its model was told, and what it wrote. */
async function drive(
  agent: Agent,
  place: ClientPlace,
  { folder }: InstalledFolder,
  flags: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
) {
  await using model = await startModel(followSteps(STEPS));
  const start = agent.start(makeAgentStage(place, model.url, folder));
  const env = { ...place.env, NO_COLOR: "1", CI: "1", ...start.env, ...more };
  if (start.before) await runAlone(start.before, place.folder, env);
  await place.run("connect", agent.client, "--write", ...flags);
  const output = await runAlone(start.argv, place.folder, env);
  const calls = (await place.calls()).filter(({ tool }) => tool !== "vfs_list").map(({ tool, ok }) => [tool, ok]);
  return { calls, told: model.requests.map(({ body }) => body).join("\n"), output };
}

/** Runs a program in a group of its own, of which nothing is left when it ends; what it wrote. */
async function runAlone(
  [command, ...args]: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const child = spawn(command!, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const endGroup = () => {
    try {
      process.kill(-child.pid!, "SIGKILL");
    } catch {
      // All of it has ended.
    }
  };
  onTestFinished(endGroup);
  const closed = once(child, "close").finally(endGroup);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return `${stdout}\n${stderr}`;
}
