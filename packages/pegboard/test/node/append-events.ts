// A process of its own that appends events to a store: node append-events.ts FILE SESSION COUNT. It prints each number
// once the append has resolved.
import type { Event } from "../../src/core/event.ts";
import { sqliteStore } from "../../src/node/sqlite.ts";

const [file = "", session = "", count = "0"] = process.argv.slice(2);
const store = sqliteStore(file);
try {
  for (let seq = 1; seq <= Number(count); seq++) {
    const event: Event = { v: 1, seq, at: Date.now(), type: "session-end", session, data: { calls: seq } };
    await store.append([event]);
    process.stdout.write(`${seq}\n`);
  }
  await store.close();
} catch (error) {
  process.stdout.write(
    `${JSON.stringify({ code: (error as { code?: unknown }).code, message: (error as Error).message })}\n`,
  );
  process.exitCode = 1;
}
