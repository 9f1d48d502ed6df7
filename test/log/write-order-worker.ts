// A process of its own that makes the same calls each time, in FOLDER/disk, and marks in FOLDER/marks what it was told is
// done: node write-order-worker.ts FOLDER.
import { createHash } from "node:crypto";
import { openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createRuntime } from "pegboard";
import { sqliteStore } from "pegboard/node";
import { openJournal } from "./journal.ts";
import { mixedTools } from "./mixed-tools.ts";

const ROUNDS = 40;

const [folder = ""] = process.argv.slice(2);
const marks = openSync(join(folder, "marks"), "a");
const runtime = createRuntime({
  store: sqliteStore(join(folder, "disk", "data", "pegboard.db")),
  tools: mixedTools(openJournal(join(folder, "ledger"))),
  approve: "all",
  limits: { resultCharacters: 2_000 },
  vfs: { versions: 2 },
});
const session = runtime.open({ id: "a" });
for (let round = 1; round <= ROUNDS; round++) {
  await call("effect", `effect-${round}`);
  // Long texts fill the write-ahead log, so that it is carried over and begun again in between.
  await call("vfs_write", `write-${round}`, { path: "large", content: randomText(round, 150_000) });
  if (round % 16 === 8) await call("long", `long-${round}`);
}
await runtime.close();
process.exit();

async function call(tool: string, id: string, input = {}): Promise<void> {
  const { ok } = await session.call(tool, input, { id });
  if (!ok) throw new Error(`${id} failed`);
  writeSync(marks, `${id}\n`);
}

function randomText(seed: number, length: number): string {
  let text = "";
  for (let index = 0; text.length < length; index++)
    text += createHash("sha512").update(`${seed} ${index}`).digest("hex");
  return text.slice(0, length);
}
