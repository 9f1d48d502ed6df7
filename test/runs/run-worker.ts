// A process of its own that runs agents in eight sessions at once until it is killed: node run-worker.ts FOLDER LIFE LAST.
// Once it is loaded it waits for a line; then it opens the store, prints "ready", goes on with the runs that the processes
// before it have left, and starts new ones. With LAST it looks what was left before it is ready, waits for another line, goes
// on with that, and ends.
import { once } from "node:events";
import { join } from "node:path";
import type { Run, Session } from "pegboard";
import { openJournal } from "../log/journal.ts";
import { openTeam } from "./team.ts";

/** So many processes go on with the same sessions; then there are others, so that reading them takes no longer and longer. */
const LIVES = 8;

const [folder = "", life = "0", last = ""] = process.argv.slice(2);
const acknowledged = openJournal(join(folder, "acknowledged"));
process.stdout.write("loaded\n");
await once(process.stdin, "data");

const runtime = openTeam(folder);

if (last === "last") {
  const left = (await runtime.sessions.list()).filter(({ runs }) =>
    runs.some(({ status }) => status === "interrupted"),
  );
  process.stdout.write("ready\n");
  await once(process.stdin, "data");
  await Promise.all(left.map(({ session }) => goOn(runtime.open({ id: session }))));
} else {
  process.stdout.write("ready\n");
  const generation = Math.floor(Number(life) / LIVES);
  await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      if (generation > 0) await goOn(runtime.open({ id: `s${index}-${generation - 1}` }));
      const session = runtime.open({ id: `s${index}-${generation}` });
      await goOn(session);
      for (;;) await finish(session, session.run("lead", "Go"));
    }),
  );
}
await runtime.close();
process.exit();

/** Goes on with everything that was left in a session. */
async function goOn(session: Session): Promise<void> {
  for (;;) {
    let run: Run;
    try {
      run = await session.resume();
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === "busy") acknowledged.add(JSON.stringify({ busy: session.id }));
      if (code === "busy" || code === "not_found") return;
      throw error;
    }
    await finish(session, run);
  }
}

async function finish(session: Session, run: Run): Promise<void> {
  let seen = 0;
  for await (const { seq } of run) seen = Math.max(seen, seq);
  const { status, text, usage } = await run.result;
  acknowledged.add(JSON.stringify({ session: session.id, run: run.id, status, text, tokens: usage.input, seen }));
}
