import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askForReports, FLOODS, range } from "./floods.ts";
import { modernCall, send } from "./requests.ts";
import { type SlowServer, startSlowServer } from "./slow-server-process.ts";

const MOST = 64 * 1024 * 1024;
const REPORTS_MS = 3_000;

let server: SlowServer;
beforeAll(async () => {
  server = await startSlowServer();
  await server.warm();
});
afterAll(() => void server.child.kill("SIGKILL"));

/** Calls of somebody else, for a second. */
async function callMeanwhile(): Promise<void> {
  for (const id of range(10)) {
    const { result } = (await (await send(server.port, modernCall(id, "echo", { text: `${id}` }))).json()) as any;
    expect(result.content[0].text).toBe(`${id}`);
    await sleep(100);
  }
}

describe("a client that does not read", () => {
  // First: the calls themselves take more memory than all that follows.
  it("costs no more than one that reads, however much calls report", async () => {
    const read = await askForReports(server.port, true);
    await sleep(REPORTS_MS);
    read();
    await server.warm();
    const leave = await askForReports(server.port, false);
    await sleep(REPORTS_MS);
    await callMeanwhile();
    leave();
    expect(await server.cost()).toBeLessThan(MOST);
  });

  for (const [name, flood] of Object.entries(FLOODS))
    it(`costs little memory and holds nobody up: ${name}`, async () => {
      const leave = await flood(server.port);
      await callMeanwhile();
      leave();
      expect(await server.cost()).toBeLessThan(MOST);
    });
});
