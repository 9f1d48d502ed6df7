import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openWorkspace } from "pegboard/node";

const folder = mkdtempSync(join(tmpdir(), "pegboard-web-"));
writeFileSync(join(folder, "pegboard.yaml"), "version: 1\nweb: { maxAttempts: 1, timeout: 5s }\n");
const workspace = await openWorkspace(folder, { home: join(folder, "home"), trust: true, approve: "all" });
const session = workspace.open();

// Each line is a URL; the answer is the result.
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await session.call("web_fetch", { url: JSON.parse(line) as string })));
}
await workspace.close();
rmSync(folder, { recursive: true });
