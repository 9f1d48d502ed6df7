import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { defineTool, type Tool } from "@pegboard/contract";
import { openWorkspace, sqliteStore, type Workspace } from "pegboard/node";
import { type Journal, openJournal } from "./journal.ts";

const ANY = { type: "object", properties: {} } as const;

/** The text of `long`: nothing in it repeats, so that a piece in the wrong place shows. */
export const LONG_TEXT = Array.from({ length: 4_000 }, (_, index) => `${index} é\u{1f4c4}`).join(",");

/** Opens a workspace with tools of every kind. Its store is in `data` of the folder, the ledger of effects beside it. */
export async function openMixed(folder: string): Promise<Workspace> {
  const place = join(folder, "workspace");
  mkdirSync(place, { recursive: true });
  const workspace = await openWorkspace(place, {
    home: join(folder, "home"),
    store: sqliteStore(databaseOf(folder)),
    approve: "all",
    // So that the result of `long` is cut.
    limits: { resultCharacters: 2_000 },
  });
  workspace.tools.register(mixedTools(openJournal(join(folder, "ledger"))));
  return workspace;
}

/** The database of such a workspace. */
export function databaseOf(folder: string): string {
  return join(folder, "data", "pegboard.db");
}

/** Tools of every kind. Those with an effect note it in the ledger: once a call, never to be done again by itself. */
export function mixedTools(ledger: Journal): Tool[] {
  const effect = (callId: string) => (ledger.add(callId), "done");
  return [
    defineTool({
      name: "effect",
      description: "Has an effect",
      input: ANY,
      execute: (_, { callId }) => effect(callId),
    }),
    defineTool({
      name: "slow",
      description: "Has an effect in the middle of its work",
      input: { type: "object", properties: { ms: { type: "integer", default: 5 } } },
      async execute({ ms }, { callId, progress }) {
        progress("before");
        await setTimeout(ms);
        effect(callId);
        await setTimeout(ms);
        return "done";
      },
    }),
    defineTool({
      name: "nested",
      description: "Calls others",
      input: ANY,
      async execute(_, { call, callId }) {
        effect(callId);
        await call("effect", {});
        return await call("look", {});
      },
    }),
    defineTool({
      name: "look",
      description: "Only reads",
      input: ANY,
      capabilities: ["read"],
      execute: () => ({ seen: 1 }),
    }),
    defineTool({
      name: "fail",
      description: "Fails",
      input: ANY,
      capabilities: ["read"],
      execute() {
        throw new Error("no");
      },
    }),
    defineTool({
      name: "long",
      description: "Says much",
      input: ANY,
      capabilities: ["read"],
      execute: () => LONG_TEXT,
    }),
  ];
}
