// A process of its own that plays one scenario: node crash-worker.ts FOLDER SCENARIO.
import { join } from "node:path";
import { SCENARIOS } from "./crash-scenarios.ts";
import { openJournal } from "./journal.ts";
import { openMixed } from "./mixed-tools.ts";

const [folder = "", scenario = ""] = process.argv.slice(2);
const acknowledged = openJournal(join(folder, "acknowledged"));
const workspace = await openMixed(folder);
await SCENARIOS[scenario]!({ workspace, acknowledge: (what) => acknowledged.add(what) });
await workspace.close();
process.exit();
