import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { AuditReport } from "../../src/node/index.ts";
import { CONFIG, makePlace, type Place, toolModule } from "./run.ts";

const FILES = {
  "pegboard.yaml": CONFIG,
  "tools/own.ts": toolModule({ look: `capabilities: ["read"], execute: () => "seen"` }),
};

async function lived(): Promise<Place> {
  const place = makePlace(FILES, { trust: true });
  await place.run("call", "look", "--session", "mine");
  return place;
}

function change(place: Place, sql: string): void {
  const database = new DatabaseSync(place.path(".pegboard/pegboard.db"));
  database.exec(sql);
  database.close();
}

test("a log that is in order verifies, with its number of records and its head", async () => {
  const place = await lived();
  expect(await place.run("audit", "verify")).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^ok: 5 records of 1 session verified, up to [0-9a-f]{64}\n$/),
    stderr: "",
  });
  const { stdout } = await place.run("audit", "verify", "--json");
  expect(JSON.parse(stdout) as AuditReport).toMatchObject({ ok: true, records: 5, sessions: 1, head: { position: 5 } });
});

test("the first bad record is named, and the exit code is 1", async () => {
  const place = await lived();
  change(place, "UPDATE events SET event = replace(event, 'look', 'LOOK') WHERE seq > 2");
  expect(await place.run("audit", "verify")).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      /^bad: record 3 \(event 3 of session mine\): its text, .*\n2 records before it verified\n$/,
    ),
  });
  const { code, stdout } = await place.run("audit", "verify", "--json");
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    records: 2,
    problem: { position: 3, session: "mine", seq: 3 },
  });
});

test("an end that was cut off is found", async () => {
  const place = await lived();
  change(place, "DELETE FROM events WHERE id > 3");
  expect(await place.run("audit", "verify")).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("record 4: this record and all up to 5 are missing"),
  });
});

test("it needs no trust, makes nothing and runs nothing", async () => {
  const place = makePlace(FILES);
  place.write("tools/evil.ts", "process.exit(9);");
  expect(await place.run("audit", "verify")).toMatchObject({
    code: 0,
    stdout: "ok: 0 records of 0 sessions verified\n",
  });
  expect(existsSync(place.path(".pegboard"))).toBe(false);
});
