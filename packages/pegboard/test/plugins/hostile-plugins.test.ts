import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { call, ofType } from "../agents/stage.ts";
import { processesIn } from "../node/processes-in.ts";
import { stageModules } from "./module-stage.ts";

interface Case {
  readonly id: string;
  readonly name: string;
  readonly pass: string;
  readonly code: string;
  /** A file beside it. */
  readonly other?: keyof typeof OTHERS;
  readonly status: "healthy" | "failed";
  readonly reason?: string;
  /** What is said of it beside its status. */
  readonly notes?: string;
  /** What its process writes. */
  readonly heard?: string;
  /** What calls of its own tool and of the other plugin's answer. */
  readonly bad?: string;
  readonly good?: string;
  /** How a run ends, which hooks fail in it, and what becomes of the task that it gives away. */
  readonly run?: string;
  readonly failures?: readonly object[];
  readonly task?: object;
  /** What closing the runtime rejects with. */
  readonly close?: string;
  /** Neither its tool nor its process is there. */
  readonly gone?: boolean;
  readonly absent?: string;
  readonly absentFile?: string;
}

const { cases } = JSON.parse(readFileSync(join(import.meta.dirname, "hostile-plugins.json"), "utf8")) as {
  readonly cases: readonly Case[];
};

const tool = { name: "t", description: "d", command: "true" };
const OTHERS = {
  "plugins/a-twin/plugin.json": JSON.stringify({ name: "bad", version: "1.0.0", description: "d", tools: [tool] }),
  "plugins/bad/package.json": JSON.stringify({ scripts: { postinstall: "touch ran", preinstall: "touch ran" } }),
};
const GOOD = `export default { name: "good", version: "1.0.0", tools: [{ name: "t", description: "d", schema: { type: "object" }, handler: async () => "good" }] };`;
const CAST = {
  lead: { says: [call("delegate", { agent: "poet", prompt: "Rhyme" }), "Started.", "Done."] },
  poet: { says: ["Rhyme 1.", "Rhyme 2."] },
};

/** A runtime with the plugin of a case and one that is well. */
async function open({ code, other }: Pick<Case, "code" | "other">, trusted: readonly string[] = []) {
  const files = {
    "plugins/bad/index.mjs": code,
    "plugins/good/index.mjs": GOOD,
    ...(other && { [other]: OTHERS[other] }),
  };
  const staged = await stageModules(files, CAST, {
    trusted,
    plugins: { stepMs: 2_000 },
    limits: { gateHookMs: 1_000, observeHookMs: 1_000 },
    delegation: { maxIterations: 2 },
  });
  const { runtime, session } = staged;
  const answer = async (name: string) => {
    const { error, content } = await session.call(name);
    return error
      ? `${error.code}: ${error.message}`
      : content.map((block) => ("text" in block ? block.text : "")).join("");
  };
  const bad = () => runtime.plugins.list().find(({ origin }) => origin.file?.endsWith("bad/index.mjs"))!;
  return { ...staged, answer, bad };
}

describe("a plugin that goes wrong", () => {
  test.each(cases.map((one) => [`${one.id} ${one.name}: ${one.pass}`, one] as const))("%s", async (_, one) => {
    const { runtime, session, log, folder, heard, answer, bad } = await open(one);
    const { status, reason, diagnostics } = bad();
    expect([status, reason]).toEqual([
      one.status,
      one.reason === undefined ? undefined : expect.stringMatching(one.reason),
    ]);
    if (one.notes !== undefined && !one.run)
      expect(JSON.stringify(diagnostics)).toContain(JSON.stringify(one.notes).slice(1, -1));
    if (one.heard !== undefined) await expect.poll(() => heard.join("")).toMatch(new RegExp(one.heard));
    if (one.bad !== undefined) expect(await answer("bad__t")).toMatch(new RegExp(one.bad));
    expect(await answer("good__t")).toMatch(new RegExp(one.good ?? "^good$"));
    if (one.gone) {
      expect(runtime.tools.get("bad__t")).toBeUndefined();
      await expect.poll(() => processesIn(folder.path)).toHaveLength(1);
    }
    if (one.absent !== undefined) expect(runtime.tools.get(one.absent)).toBeUndefined();
    if (one.absentFile !== undefined) expect(existsSync(join(folder.path, "plugins/bad", one.absentFile))).toBe(false);
    if (one.run !== undefined) {
      expect(await session.run("lead", "Write").result).toMatchObject({ status: one.run });
      const failures = ofType(await log(), "hook-end").map(({ data }) => data);
      if (one.failures) expect(failures.slice(0, 1)).toMatchObject(one.failures);
      if (one.task) expect((await session.tasks())[0]).toMatchObject(one.task);
      if (one.notes !== undefined) expect(JSON.stringify(bad().diagnostics)).toContain(one.notes);
    }
    expect(runtime.plugins.get("good")).toMatchObject({ status: "healthy" });
    const closing = runtime.close();
    if (one.close === undefined) await closing;
    else await expect(closing).rejects.toThrow(new RegExp(one.close));
  });

  test("HP21: is found out in this process too, and what it changed is as before", async () => {
    const { bad } = await open(
      cases.find(({ id }) => id === "HP21")!,
      ["bad"],
    );
    expect(bad()).toMatchObject({ status: "failed", reason: expect.stringContaining("Object.prototype.isAdmin") });
    expect({}).not.toHaveProperty("isAdmin");
  });
});
