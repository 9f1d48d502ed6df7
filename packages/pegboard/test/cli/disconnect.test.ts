import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Connect, toConnects } from "./doors-clients.ts";
import { type DoorsPlace, openDoorsPlace, stubbornIn } from "./doors-place.ts";

let place: DoorsPlace;
beforeAll(async () => void (place = await openDoorsPlace()));
afterAll(() => place.close());

/** An agent that has another one call the tool. */
const DELEGATED = `call agent ${JSON.stringify({ agent: "assistant", prompt: "call stubborn {}" })}`;

/** Begins work, leaves as a client does whose machine is switched off, and waits until its program is gone. */
async function leaveDuring(connect: Connect, work: "call" | "delegate", saysSo: boolean): Promise<void> {
  const client = await connect(async () => "allow");
  const leaving = new AbortController();
  const { signal } = leaving;
  const done =
    work === "call" && client.call ? client.call("stubborn", {}, { signal }) : client.prompt!(DELEGATED, { signal });
  const outcome = Promise.resolve(done).then(
    () => {},
    () => {},
  );
  await expect.poll(() => stubbornIn(place.folder), { timeout: 10_000 }).toBeGreaterThan(0);
  await pause(Math.random() * 100);
  leaving.abort();
  if (saysSo) await pause(300);
  await client.close();
  await expect.poll(() => stubbornIn(place.folder), { timeout: 2_000 }).toBe(0);
  await Promise.race([outcome, pause(1_000)]);
}

describe("a program that a client started is gone when the client is", () => {
  for (const [name, connect] of Object.entries(toConnects(() => place)))
    it(`${name} by a call and by an agent of an agent`, async () => {
      // There a connection that breaks is no cancel, by the protocol.
      const saysSo = name.includes("Streamable HTTP, old era");
      await leaveDuring(connect, "call", saysSo);
      await leaveDuring(connect, "delegate", saysSo);
      expect(stubbornIn(place.folder)).toBe(0);
    });
});
