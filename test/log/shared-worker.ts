// A process of its own that makes calls in a session that it shares and in one of its own: node shared-worker.ts FOLDER NAME
// COUNT. Once it is loaded it waits for a line.
import { once } from "node:events";
import { join } from "node:path";
import type { Session } from "pegboard";
import { openJournal } from "./journal.ts";
import { openMixed } from "./mixed-tools.ts";

const LANES = 4;

const [folder = "", name = "", count = "0"] = process.argv.slice(2);
const acknowledged = openJournal(join(folder, "acknowledged"));
const workspace = await openMixed(folder);
process.stdout.write("loaded\n");
await once(process.stdin, "data");
await Promise.all(["shared", name].map((id) => work(workspace.open({ id }))));
await workspace.close();
process.exit();

async function work(session: Session): Promise<void> {
  let next = 1;
  const lane = async () => {
    while (next <= Number(count)) {
      const number = next++;
      const id = `${name}-${session.id}-${number}`;
      const { ok, error, meta } = await session.call(
        number % 2 === 0 ? "effect" : "look",
        { by: name, number },
        { id },
      );
      acknowledged.add(JSON.stringify({ id, ok, error, unrecorded: meta["unrecorded"] }));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
