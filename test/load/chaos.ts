import { createServer, type AddressInfo, connect, type Socket } from "node:net";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

/** What happens to bytes on their way: only when they arrive, or also that they are cut off, or that they are others. */
export type Weather = "late" | "cut" | "damaged";

/** Numbers from 0 to 1 that a seed decides. */
export type Random = () => number;

/** Always the same numbers for the same seed. */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Which weather, decided by a seed. */
export interface Chaos {
  readonly random: Random;
  weather: Weather | "calm";
}

const HOLD_MS = 4;
const MOST_PIECES = 5;

/** Carries bytes on, late, in other pieces, and whatever else the weather does to them. `cut` ends the connection. */
export function disturb(from: Readable, to: Writable, chaos: Chaos, cut: () => void): void {
  const { random } = chaos;
  let held: Buffer[] = [];
  let working = false;
  let ended = false;

  async function work(): Promise<void> {
    working = true;
    while (held.length > 0) {
      const pause = random() * HOLD_MS;
      if (chaos.weather !== "calm" && pause > 1) await new Promise((resolve) => setTimeout(resolve, pause));
      const whole = Buffer.concat(held);
      held = [];
      if (chaos.weather === "cut" && random() < 0.1) return cut();
      for (const piece of toPieces(chaos.weather === "damaged" ? damage(whole, random) : whole, random)) {
        to.write(piece);
        if (random() < 0.3) await new Promise((resolve) => setImmediate(resolve));
      }
    }
    working = false;
    if (ended) to.end();
  }

  from.on("data", (chunk: Buffer) => {
    held.push(chunk);
    if (!working) void work();
  });
  from.on("end", () => {
    ended = true;
    if (!working) to.end();
  });
}

function toPieces(whole: Buffer, random: Random): readonly Buffer[] {
  const places = Array.from({ length: Math.floor(random() * MOST_PIECES) }, () => Math.floor(random() * whole.length));
  const edges = [0, ...places.toSorted((a, b) => a - b), whole.length];
  return edges.slice(1).map((edge, at) => whole.subarray(edges[at], edge));
}

function damage(whole: Buffer, random: Random): Buffer {
  const chance = random();
  const at = Math.floor(random() * whole.length);
  if (chance < 0.1) return Buffer.concat([whole.subarray(0, at), whole]);
  if (chance > 0.2) return whole;
  const flipped = Buffer.from(whole);
  flipped[at] = flipped[at]! ^ (1 << Math.floor(random() * 8));
  return flipped;
}

/** A port that leads to another one, through a weather. */
export interface Proxy extends AsyncDisposable {
  readonly port: number;
}

/** Starts a proxy. */
export async function startProxy(target: number, chaos: Chaos): Promise<Proxy> {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1");
    const cut = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on("error", cut);
      socket.on("close", () => open.delete(socket));
    }
    disturb(near, far, chaos, cut);
    disturb(far, near, chaos, cut);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
