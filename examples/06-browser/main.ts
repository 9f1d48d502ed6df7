// Pegboard in a page. Checks itself without a browser: `node --conditions=pegboard:source examples/06-browser/main.ts`
// To see the page, add `--serve`.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { preview } from "vite";
import { buildPage } from "./build.ts";
import { openPostOffice } from "./post-office.ts";

const serve = process.argv.includes("--serve");
const outDir = await mkdtemp(join(tmpdir(), "pegboard-page-"));
const { scripts, problems } = await buildPage(import.meta.dirname, outDir);
if (serve) (await preview({ configFile: false, build: { outDir } })).printUrls();
else await rm(outDir, { recursive: true });

console.log("The page is built of:", [...scripts.keys()]);
assert.deepEqual(problems, []);
await checkLogic();

/** What the page does on a click, with an approver that needs no person. */
async function checkLogic(): Promise<void> {
  const questions: string[] = [];
  const { runtime, session, sent } = openPostOffice(({ summary, input }) => {
    questions.push(summary);
    return (input as { to: string }).to === "Ada"
      ? { decision: "allow" }
      : { decision: "deny", note: "unknown person" };
  });

  const price = await session.call("postage", { country: "NO" });
  console.log("postage, which only reads:", price.structured);
  assert.deepEqual(price.structured, { country: "NO", grams: 20, cents: 150 });
  assert.deepEqual(questions, []);

  const card = await session.call("send_postcard", { to: "Ada", text: "Hello" });
  console.log("send_postcard, which asks and is allowed:", card.content);
  assert.deepEqual(sent, ["Ada"]);

  const denied = await session.call("send_postcard", { to: "Eve", text: "Hello" });
  console.log("send_postcard, which asks and is denied:", denied.error?.message);
  assert.equal(denied.error?.code, "denied");

  const wrong = await session.call("send_postcard", { text: 7 });
  console.log("send_postcard, with a wrong input:", wrong.error?.message);
  assert.equal(wrong.error?.code, "invalid_input");

  const blocked = await session.call("burn_mail");
  console.log("burn_mail, which policy blocks:", blocked.error?.message);
  assert.equal(blocked.error?.code, "blocked");
  assert.ok(!session.list().some(({ name }) => name === "burn_mail"));

  console.log("What the approver was asked:", questions);
  assert.deepEqual(questions, ["Send a postcard to Ada", "Send a postcard to Eve"]);
  await runtime.close();
}
