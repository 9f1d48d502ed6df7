import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import {
  answerApproval,
  type ApprovalRequest,
  createRuntime,
  defineTool,
  type Event,
  listApprovals,
  type RuntimeOptions,
  type Session,
  type Store,
} from "../../src/index.ts";
import { sqliteStore } from "../../src/node/index.ts";

const root = mkdtempSync(join(tmpdir(), "pegboard-inbox-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const pay = defineTool({
  name: "pay",
  description: "Pays",
  input: { type: "object", properties: { to: { type: "string" }, n: { type: "number" } } },
  capabilities: ["write"],
  execute: () => "paid",
});

/** Runtimes on one file: each with a store of its own, as processes have. */
function shared() {
  const file = join(mkdtempSync(join(root, "log-")), "pegboard.db");
  return {
    file,
    start: (options: RuntimeOptions = {}) => createRuntime({ store: sqliteStore(file), tools: [pay], ...options }),
  };
}

async function asked(session: Session): Promise<string> {
  for await (const event of session.events()) if (event.type === "approval-request") return event.data.id;
  throw new Error("nobody was asked");
}

async function responses(store: Store): Promise<readonly Event[]> {
  return store.read({ type: "approval-response" });
}

describe("an approval request in the log", () => {
  test("is answered once, however many answer it at the same time", async () => {
    const { file, start } = shared();
    const runtime = start();
    for (let round = 0; round < 5; round++) {
      const session = runtime.open({ approve: "wait" });
      const result = session.call("pay", { n: round });
      const id = await asked(session);
      const stores = Array.from({ length: 8 }, () => sqliteStore(file));
      const answers = await Promise.allSettled(
        stores.map((store, index) =>
          answerApproval(store, id, { decision: index % 2 ? "allow" : "deny" }, `store ${index}`),
        ),
      );
      const won = answers.filter(({ status }) => status === "fulfilled") as PromiseFulfilledResult<{
        answer: { by: string; decision: string };
      }>[];
      expect(won).toHaveLength(1);
      for (const answer of answers)
        if (answer.status === "rejected") expect(answer.reason).toMatchObject({ code: "duplicate" });
      const recorded = await runtime.store.read({ type: "approval-response", session: session.id });
      expect(recorded.map(({ data }) => data)).toEqual([expect.objectContaining({ id, by: won[0]!.value.answer.by })]);
      expect((await result).ok).toBe(won[0]!.value.answer.decision === "allow");
      for (const store of stores) await store.close();
    }
    await runtime.close();
  });

  test.each(["after the look", "after the look that follows a refusal"])(
    "is answered once when another answer comes %s",
    async (moment) => {
      const { file, start } = shared();
      const runtime = start();
      const other = sqliteStore(file);
      const session = runtime.open({ approve: "wait" });
      const result = session.call("pay", {});
      const id = await asked(session);
      const beaten = () => answerApproval(other, id, { decision: "deny" }, "the other");
      const late = sqliteStore(file);
      let [looks, refused, interfered] = [0, false, false];
      const interfering: Store = {
        ...late,
        async read(query = {}) {
          const events = await late.read(query);
          if (query.type === "approval-response") looks++;
          const now = moment === "after the look" ? looks === 2 : refused && query.from !== undefined;
          if (now && !interfered) await ((interfered = true), beaten());
          return events;
        },
        async append(events) {
          if (moment !== "after the look" && !refused) {
            refused = true;
            const [last] = await other.read({ session: session.id, last: 1 });
            const about = { v: 1, seq: last!.seq + 1, at: Date.now(), session: session.id } as const;
            await other.append([{ ...about, type: "approvals-change", data: { forgotten: true } }]);
          }
          return late.append(events);
        },
      };
      const answer = answerApproval(interfering, id, { decision: "allow" }, "the late one");
      await expect(answer).rejects.toMatchObject({ code: "duplicate", message: expect.stringContaining("the other") });
      expect(interfered).toBe(true);
      expect(await responses(other)).toHaveLength(1);
      expect((await result).error?.code).toBe("denied");
      for (const store of [other, late]) await store.close();
      await runtime.close();
    },
  );

  test("is answered once when the one who waits is answered in its own process too", async () => {
    const { file, start } = shared();
    const runtime = start();
    const store = sqliteStore(file);
    const session = runtime.open({ approve: "wait" });
    const result = session.call("pay", {});
    const id = await asked(session);
    session.answer(id, { decision: "deny" });
    await answerApproval(store, id, { decision: "allow" }, "elsewhere").catch(() => {});
    const recorded = await responses(store);
    expect(recorded).toHaveLength(1);
    expect((await result).ok).toBe((recorded[0]!.data as { decision: string }).decision === "allow");
    await store.close();
    await runtime.close();
  });

  test("keeps the place of the call in its answer, and starts no session", async () => {
    const { file, start } = shared();
    const runtime = start();
    const store = sqliteStore(file);
    const session = runtime.open({ approve: "wait", agent: { name: "child", chain: ["root", "child"] } });
    const result = session.call("pay", {}, { id: "call-1" });
    const [waiting] = (await asked(session), await listApprovals(store));
    await answerApproval(store, waiting!.id, { decision: "allow", remember: "tool", note: "fine" }, "ada");
    expect((await result).ok).toBe(true);
    expect((await responses(store))[0]).toMatchObject({
      call: "call-1",
      chain: ["root", "child"],
      data: { decision: "allow", by: "ada", remember: "tool", note: "fine" },
    });
    expect(await store.read({ type: "session-start" })).toHaveLength(1);
    await store.close();
    await runtime.close();
  });
});

describe("what a session remembers", () => {
  const always = { approver: () => ({ decision: "allow", remember: "input" }) as const };

  test("A1-12 holds in the next process for any order of keys, and for other input somebody is asked", async () => {
    const { start } = shared();
    const first = start(always);
    await first.open({ id: "mine" }).call("pay", { to: "ann", n: 1 });
    await first.close();
    const requests: ApprovalRequest[] = [];
    const second = start({ approver: (request) => (requests.push(request), { decision: "deny" }) });
    const session = second.open({ id: "mine" });
    expect((await session.call("pay", { n: 1, to: "ann" })).ok).toBe(true);
    expect((await session.call("pay", { n: 2, to: "ann" })).error?.code).toBe("denied");
    expect((await second.open({ id: "other" }).call("pay", { to: "ann", n: 1 })).error?.code).toBe("denied");
    expect(requests).toHaveLength(2);
    await second.close();
  });

  test.each(["before its first call", "after a call"])(
    "A1-12 is forgotten for good when it is cleared %s",
    async (when) => {
      const { start } = shared();
      const first = start(always);
      await first.open({ id: "mine" }).call("pay", {});
      await first.close();
      const second = start({ approve: "none" });
      const session = second.open({ id: "mine" });
      if (when === "after a call") expect((await session.call("pay", {})).ok).toBe(true);
      session.forgetApprovals();
      expect((await session.call("pay", {})).error?.code).toBe("denied");
      await second.close();
      const third = start({ approve: "none" });
      expect((await third.open({ id: "mine" }).call("pay", {})).error?.code).toBe("denied");
      await third.close();
    },
  );
});
