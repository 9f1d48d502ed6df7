import type { Session } from "pegboard";
import type { Workspace } from "pegboard/node";

/** What a scenario works with. `acknowledge` notes a result, outside of the store, as soon as the caller has it. */
export interface Stage {
  readonly workspace: Workspace;
  acknowledge(what: string): void;
}

/** What happens while a process may end at any moment. All ids are given, so that each run of one is the same. */
export const SCENARIOS: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  "a call": async (stage) => {
    await call(stage, stage.workspace.open({ id: "one" }), "effect", "c1");
  },
  "a call that asks": async (stage) => {
    const session = stage.workspace.open({ id: "one", approve: "wait" });
    const done = call(stage, session, "effect", "c1");
    for await (const { type } of session.events()) if (type === "approval-request") break;
    session.answer(session.pending[0]!.id, { decision: "allow", remember: "input" });
    await done;
    await call(stage, session, "effect", "c2");
  },
  "a nested call": async (stage) => {
    await call(stage, stage.workspace.open({ id: "one" }), "nested", "c1");
  },
  "a result that is cut": async (stage) => {
    const session = stage.workspace.open({ id: "one" });
    await call(stage, session, "long", "c1");
  },
  "virtual files": async (stage) => {
    const session = stage.workspace.open({ id: "one" });
    for (const version of [1, 2])
      await call(stage, session, "vfs_write", `write-${version}`, { path: "a", content: `text ${version}` });
    await call(stage, session, "vfs_delete", "delete", { path: "a" });
  },
  "a prune": async (stage) => {
    const { workspace } = stage;
    const old = workspace.open({ id: "old" });
    await call(stage, old, "long", "c1");
    await call(stage, old, "effect", "c2");
    await old.close();
    await workspace.store.prune({ before: Date.now() + 60_000, keep: ["one"] });
    stage.acknowledge("prune");
    await call(stage, workspace.open({ id: "one" }), "effect", "c3");
  },
  "two sessions at once": async (stage) => {
    const sessions = ["one", "two"].map((id) => stage.workspace.open({ id }));
    for (const round of [1, 2]) {
      await Promise.all(sessions.map((session) => call(stage, session, "effect", `${session.id}-${round}`)));
    }
  },
};

async function call({ acknowledge }: Stage, session: Session, tool: string, id: string, input = {}): Promise<void> {
  const { ok } = await session.call(tool, input, { id });
  acknowledge(`${id} ${ok ? "ok" : "failed"}`);
}
