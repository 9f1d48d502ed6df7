// A process of its own that calls tools in eight sessions at once until it is killed: node kill-worker.ts FOLDER SEED MS.
// Once it is loaded it waits for a line; then it opens the workspace, and prints "ready" after its first call. With MS it
// ends by itself after that time.
import { once } from "node:events";
import { join } from "node:path";
import type { Session } from "pegboard";
import { openJournal } from "./journal.ts";
import { openMixed } from "./mixed-tools.ts";
import { createRandom } from "./random.ts";

const [folder = "", seed = "0", ms = "0"] = process.argv.slice(2);
const acknowledged = openJournal(join(folder, "acknowledged"));
process.stdout.write("loaded\n");
await once(process.stdin, "data");

const started = performance.now();
const workspace = await openMixed(folder);
const first = workspace.open({ id: "first" });
await first.call("look");
process.stdout.write(`ready ${performance.now() - started}\n`);

const end = Number(ms) === 0 ? Infinity : started + Number(ms);
// Half of them go on with the log of the processes before.
const sessions = Array.from({ length: 8 }, (_, index) =>
  workspace.open(index % 2 === 0 ? { id: `again-${index}` } : {}),
);
await Promise.all(sessions.map((session, index) => work(session, Number(seed) * 8 + index)));
await workspace.close();
process.exit();

async function work(session: Session, seed: number): Promise<void> {
  const random = createRandom(seed);
  let seen = 0;
  void (async () => {
    for await (const { seq } of session.events()) seen = seq;
  })();
  while (performance.now() < end) {
    const tool = random.pick(["effect", "effect", "slow", "nested", "look", "fail", "long", "vfs_write", "nothing"]);
    const call = crypto.randomUUID();
    const path = `notes/${random.below(3)}`;
    const input = tool === "vfs_write" ? { path, content: call } : tool === "slow" ? { ms: random.between(1, 8) } : {};
    const { ok, error, meta, structured } = await session.call(tool, input, { id: call });
    const version = (Object(structured) as { version?: number }).version;
    const { unrecorded } = Object(meta) as { unrecorded?: string };
    acknowledged.add(
      JSON.stringify({
        session: session.id,
        call,
        ok,
        code: error?.code,
        seen,
        unrecorded,
        ...(tool === "vfs_write" && { path, version }),
      }),
    );
  }
}
