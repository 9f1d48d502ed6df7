import { describe, expect, test } from "vitest";
import { Pool, type PoolKey, type PoolOptions } from "../../src/agents/pool.ts";

function key(agent: string, more: Partial<PoolKey> = {}): PoolKey {
  return { session: "s", agent, config: "c", ...more };
}

function make(options: PoolOptions = {}) {
  const made: string[] = [];
  const gone: string[] = [];
  const pool = new Pool<{ name: string } & AsyncDisposable>(options);
  const warnings: string[] = [];
  const one = async (agent: string) => {
    const name = `${agent}${made.length}`;
    made.push(name);
    return { name, [Symbol.asyncDispose]: async () => void gone.push(name) };
  };
  const acquire = (which: PoolKey) =>
    pool.acquire(
      which,
      () => one(which.agent),
      (warning) => void warnings.push(warning),
    );
  return { pool, acquire, made, gone, warnings };
}

describe("a pool of agents", () => {
  test("A2-27: instances of two plugins, and of an agent whose name runs into a plugin's, are never shared", async () => {
    const { pool, acquire } = make();
    for (const which of [key("c", { plugin: "a-b" }), key("b-c", { plugin: "a" }), key("a-b-c")])
      (await acquire(which))[Symbol.dispose]();
    expect(pool.stats.instances.map((one) => one.key)).toEqual(["plugin-a-b-c", "plugin-a-b-c", "agent-a-b-c"]);
    expect(pool.stats.total).toBe(3);
  });

  test("A2-29: two at once are two; what was released is lent again, and counts its uses", async () => {
    const { pool, acquire } = make();
    const [one, two] = await Promise.all([acquire(key("x")), acquire(key("x"))]);
    expect(one.id).not.toBe(two.id);
    one[Symbol.dispose]();
    const again = await acquire(key("x"));
    expect([again.id, again.warm]).toEqual([one.id, true]);
    expect(pool.stats.instances.find(({ id }) => id === one.id)!.uses).toBe(2);
  });

  test("A2-30: a full pool lets go of the idle one that was unused longest, never of a busy one", async () => {
    const { pool, acquire, gone, warnings } = make({ max: 2 });
    const [a, b] = [await acquire(key("a")), await acquire(key("b"))];
    a[Symbol.dispose]();
    b[Symbol.dispose]();
    const c = await acquire(key("c"));
    expect(gone).toEqual(["a0"]);
    await acquire(key("b"));
    await acquire(key("d"));
    expect(gone).toEqual(["a0"]);
    expect(warnings).toEqual(["All 2 instances of agents are at work: one more is made for agent-d"]);
    expect(pool.stats.total).toBe(3);
    c[Symbol.dispose]();
    expect(gone).toEqual(["a0", "c2"]);
    expect(pool.stats).toMatchObject({ total: 2, inUse: 2 });
  });

  test("A2-31: twenty at once get twenty, an unknown release does nothing, and a busy one is not removed", async () => {
    const { pool, acquire } = make({ max: 20 });
    const leases = await Promise.all(Array.from({ length: 20 }, () => acquire(key("x"))));
    expect(new Set(leases.map(({ id }) => id)).size).toBe(20);
    pool.release("nobody");
    await expect(pool.remove(leases[0]!.id)).rejects.toMatchObject({ code: "busy" });
    leases[0]![Symbol.dispose]();
    expect(await pool.remove(leases[0]!.id)).toBe(true);
    expect(await pool.remove(leases[0]!.id)).toBe(false);
    leases[1]![Symbol.dispose]();
    const other = await acquire(key("x"));
    leases[1]![Symbol.dispose]();
    expect(pool.stats.instances.find(({ id }) => id === other.id)!.busy).toBe(true);
  });

  test("A2-32: statistics tell how many there are, how many are in use, and how old they are", async () => {
    const { pool, acquire } = make();
    const lease = await acquire(key("x"));
    (await acquire(key("y")))[Symbol.dispose]();
    expect(pool.stats).toMatchObject({ total: 2, inUse: 1, available: 1, max: 5 });
    expect(pool.stats.instances[0]).toMatchObject({ key: "agent-x", busy: true, uses: 1, idleMs: 0 });
    expect(pool.stats.instances[0]!.ageMs).toBeGreaterThanOrEqual(0);
    lease[Symbol.dispose]();
  });

  test("A2-33: what is idle past its limit goes", async () => {
    const { pool, acquire, gone } = make({ idleMs: 20 });
    (await acquire(key("x")))[Symbol.dispose]();
    const busy = await acquire(key("y"));
    await expect.poll(() => gone).toEqual(["x0"]);
    expect(pool.stats).toMatchObject({ total: 1, inUse: 1 });
    busy[Symbol.dispose]();
    await expect.poll(() => gone).toEqual(["x0", "y1"]);
    expect(pool.stats.total).toBe(0);
  });

  test("an instance that is given back as broken is not lent again", async () => {
    const { pool, acquire, gone } = make();
    const broken = await acquire(key("x"));
    broken.discard();
    broken[Symbol.dispose]();
    expect([gone, pool.stats.total]).toEqual([["x0"], 0]);
    expect((await acquire(key("x"))).warm).toBe(false);
  });

  test("an instance that cannot be made leaves its place free", async () => {
    const pool = new Pool({ max: 1 });
    await expect(pool.acquire(key("x"), () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect((await pool.acquire(key("x"), async () => ({}))).warm).toBe(false);
  });
});
