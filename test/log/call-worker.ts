// A process of its own that does what it is told, a line of JSON each: node call-worker.ts FOLDER [SESSION]. A tool to call is
// answered with how the call ended, `{}` with how many events can be read.
import { createInterface } from "node:readline";
import { openMixed } from "./mixed-tools.ts";

const [folder = "", id] = process.argv.slice(2);
const workspace = await openMixed(folder);
const session = workspace.open(id === undefined ? {} : { id });
for await (const line of createInterface({ input: process.stdin })) {
  const { tool, input = {}, id } = JSON.parse(line) as { tool?: string; input?: object; id?: string };
  process.stdout.write(`${JSON.stringify(await (tool === undefined ? count() : call(tool, { ...input }, id)))}\n`);
}
await workspace.close();
process.exit();

async function call(tool: string, input: Record<string, never>, id: string = crypto.randomUUID()) {
  const { ok, error, meta } = await session.call(tool, input, { id });
  return { id, ok, code: error?.code, message: error?.message, unrecorded: meta?.["unrecorded"] };
}

async function count() {
  return { events: (await workspace.store.read()).length };
}
