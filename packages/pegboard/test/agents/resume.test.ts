import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Agent } from "@pegboard/contract";
import {
  answerApproval,
  type AnyTool,
  createRuntime,
  defineTool,
  type Event,
  listApprovals,
  type RuntimeOptions,
  type Run,
  type Script,
  scriptedModel,
} from "pegboard";
import { sqliteStore } from "pegboard/node";
import { afterEach, expect, test } from "vitest";

const HELPER: Agent = { name: "helper", description: "Helps", instructions: "You help." };
const SEND = [{ calls: [{ tool: "send" }] }, "Sent"];

const left: (() => void)[] = [];
afterEach(() => {
  for (const leave of left.splice(0)) leave();
});

function database(): string {
  const folder = mkdtempSync(join(tmpdir(), "pegboard-resume-"));
  left.push(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "pegboard.db");
}

/** A tool that is never done, and one that is at once. */
function tools(sent: string[], hangs = false): AnyTool[] {
  const execute = (_: unknown, { callId }: { callId: string }) =>
    hangs ? new Promise(() => {}) : `sent ${sent.push(callId)}`;
  return [defineTool({ name: "send", description: "Sends", input: { type: "object" }, execute: execute as never })];
}

/** A process of its own, as far as the log can tell. Those that it calls alive are. */
function start(file: string, identity: string, options: RuntimeOptions, alive: readonly string[] = [identity]) {
  const store = sqliteStore(file);
  const runtime = createRuntime({
    store,
    agents: [HELPER],
    approve: "all",
    process: { identity, isAlive: (other) => alive.includes(other) },
    ...options,
  });
  const session = runtime.open({ id: "s" });
  const end = async () => {
    await store.close();
    // What it still does is not on record any more.
    session.cancel();
  };
  left.push(() => void runtime.close().catch(() => {}));
  return { runtime, session, store, end };
}

async function until(run: Run, fits: (event: Event) => boolean): Promise<void> {
  for await (const event of run) if (fits(event)) return;
}

/** A log in which a run waits for something that its process does not outlive. */
async function cutOff(file: string, type: Event["type"], options: RuntimeOptions): Promise<string> {
  const { session, end } = start(file, "first", options);
  const run = session.run("helper", "Go");
  await until(run, (event) => event.type === type);
  await end();
  return run.id;
}

const HANGS = { model: scriptedModel(SEND), tools: tools([], true) };

test("a call that may have had an effect is not made again: model and person are told", async () => {
  const file = database();
  const id = await cutOff(file, "execute-start", HANGS);
  const sent: string[] = [];
  const model = scriptedModel([{ calls: [{ tool: "send" }] }, { text: "Who knows", expect: "not known" }]);
  const second = start(file, "second", { model, tools: tools(sent) });
  const run = await second.session.resume();
  const result = await run.result;
  expect(run.id).toBe(id);
  expect(sent).toEqual([]);
  expect(result).toMatchObject({
    status: "completed",
    calls: 1,
    text: "Who knows",
    warnings: [expect.stringContaining('"send" was cut off')],
  });
});

test("an approval that is answered by another process after the end of the first lets the run go on", async () => {
  const file = database();
  const id = await cutOff(file, "approval-request", { ...HANGS, approve: "wait" });
  const inbox = sqliteStore(file);
  const [request] = await listApprovals(inbox);
  await answerApproval(inbox, request!.id, { decision: "allow" }, "ada");
  await inbox.close();
  const sent: string[] = [];
  const { session, store } = start(file, "second", { model: scriptedModel(SEND), tools: tools(sent), approve: "wait" });
  const result = await (await session.resume(id)).result;
  expect(result).toMatchObject({ status: "completed", text: "Sent", run: id });
  expect(sent).toEqual([`${id}.1.0`]);
  expect(await store.read({ session: "s", type: "approval-request" })).toHaveLength(1);
});

test("a call that waits for approval goes on waiting under the same request", async () => {
  const file = database();
  const id = await cutOff(file, "approval-request", { ...HANGS, approve: "wait" });
  const sent: string[] = [];
  const { session, store } = start(file, "second", { model: scriptedModel(SEND), tools: tools(sent), approve: "wait" });
  const run = await session.resume(id);
  const [request] = await store.read({ session: "s", type: "approval-request" });
  await expect
    .poll(() => session.pending.map(({ id: one }) => one))
    .toEqual([(request as { data: { id: string } }).data.id]);
  session.answer(session.pending[0]!.id, { decision: "deny", note: "not today" });
  expect(await run.result).toMatchObject({ status: "completed", text: "Sent" });
  expect(sent).toEqual([]);
  expect(await listApprovals(store)).toEqual([]);
});

test("of several processes that resume a run one gets it, and the others are told that it is busy", async () => {
  const file = database();
  await cutOff(file, "execute-start", HANGS);
  const others = Array.from({ length: 6 }, (_, index) =>
    start(
      file,
      `other-${index}`,
      {
        model: scriptedModel([
          { delay: 200, text: "" },
          { text: "Sent", delay: 100 },
        ]),
        tools: tools([]),
      },
      Array.from({ length: 6 }, (__, at) => `other-${at}`),
    ),
  );
  const outcomes = await Promise.allSettled(others.map(({ session }) => session.resume()));
  const got = outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  expect(got).toHaveLength(1);
  for (const one of outcomes) if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "busy" });
  expect(await got[0]!.result).toMatchObject({ status: "completed", text: "Sent" });
});

test("a run of a process that is alive is not taken over", async () => {
  const file = database();
  const first = start(file, "first", HANGS);
  const run = first.session.run("helper", "Go");
  await until(run, ({ type }) => type === "execute-start");
  const { session } = start(file, "second", HANGS, ["first", "second"]);
  await expect(session.resume(run.id)).rejects.toMatchObject({ code: "busy" });
  await expect(first.session.resume(run.id)).rejects.toMatchObject({ code: "busy" });
});

test("A4-26: resume says what is not there and what is over", async () => {
  const file = database();
  const { session } = start(file, "first", { model: scriptedModel(["Hello"]) });
  await expect(session.resume()).rejects.toMatchObject({ code: "not_found" });
  await expect(session.resume("nosuch")).rejects.toMatchObject({ code: "not_found" });
  const { run } = await session.run("helper", "Go").result;
  await expect(session.resume(run)).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining("over"),
  });
});

test("a run goes on with the new definition of its agent", async () => {
  const file = database();
  const id = await cutOff(file, "execute-start", HANGS);
  const model = scriptedModel(SEND);
  const agents = [{ ...HELPER, instructions: "You help differently." }];
  const { session } = start(file, "second", { model, agents, tools: tools([]) });
  expect((await (await session.resume(id)).result).status).toBe("completed");
  expect(model.requests.map(({ system }) => system)).toEqual(["You help differently."]);
});

test("a run whose agent is gone ends as failed with the reason", async () => {
  const file = database();
  const id = await cutOff(file, "execute-start", HANGS);
  const { session, store } = start(file, "second", { model: scriptedModel(SEND), agents: [] });
  const result = await (await session.resume(id)).result;
  expect(result).toMatchObject({
    run: id,
    status: "failed",
    error: { code: "not_found", message: expect.stringContaining("helper") },
  });
  expect(await store.read({ session: "s", type: "run-end" })).toHaveLength(1);
  await expect(session.resume(id)).rejects.toMatchObject({ code: "invalid_input" });
});

test("a turn that was cut off is asked again, and what was asked for besides still holds", async () => {
  const file = database();
  const first = start(file, "first", { model: scriptedModel([{ text: "late", delay: 60_000 }]) });
  const run = first.session.run("helper", "Go", { maxTurns: 1, budget: { tokens: 100 } });
  await until(run, ({ type }) => type === "turn-start");
  await first.end();
  const model = scriptedModel([{ calls: [{ tool: "nosuch" }] }, "Too late"]);
  const { session } = start(file, "second", { model });
  const result = await (await session.resume()).result;
  expect(result).toMatchObject({ run: run.id, status: "failed", turns: 1, error: { code: "budget_limit" } });
});

test("what a run has asked before its process ended is not asked again, and counts for its limits", async () => {
  const file = database();
  const ask = { tool: "agent", input: { agent: "other", prompt: "Go" } };
  const other: Agent = { name: "other", description: "Helps", instructions: "Other", tools: [] };
  const script: Script = {
    scripts: [
      { when: { system: "Other" }, turns: ["Asked"] },
      {
        turns: [
          { calls: [ask] },
          { calls: [{ tool: "send" }] },
          { calls: [ask] },
          { calls: [{ tool: "agent", input: { agent: "other", prompt: "Else" } }], expect: "this very thing" },
          { calls: [{ tool: "agent", input: { agent: "other", prompt: "More" } }], expect: "Asked" },
          { text: "Done", expect: "2 of 2" },
        ],
      },
    ],
  };
  const options = { agents: [HELPER, other], limits: { fanout: 2 } };
  const first = start(file, "first", { ...options, model: scriptedModel(script), tools: tools([], true) });
  await until(first.session.run("helper", "Go"), ({ type, data }) => type === "execute-start" && data.tool === "send");
  await first.end();
  const { session } = start(file, "second", {
    ...options,
    model: scriptedModel(script),
    tools: tools([]),
  });
  const result = await (await session.resume()).result;
  expect(result).toMatchObject({ status: "completed", text: "Done" });
});

test("a tool that only reads and had called others is not run again, and what it had started ends", async () => {
  const file = database();
  const other: Agent = { name: "other", description: "Helps", instructions: "Other" };
  const ran: string[] = [];
  const wrap = defineTool({
    name: "wrap",
    description: "Asks another agent",
    input: { type: "object" },
    capabilities: ["read"],
    execute: (_, { call, callId }) => (ran.push(callId), call("agent", { agent: "other", prompt: "Go" })),
  });
  const look = defineTool({
    name: "look",
    description: "Looks for ever",
    input: { type: "object" },
    capabilities: ["read"],
    execute: () => new Promise<string>(() => {}),
  });
  const script: Script = {
    scripts: [
      { when: { system: "Other" }, turns: [{ calls: [{ tool: "look" }] }, "Seen"] },
      { turns: [{ calls: [{ tool: "wrap" }] }, { text: "Well", expect: "not known" }] },
    ],
  };
  const options = { agents: [HELPER, other], tools: [wrap, look], model: scriptedModel(script) };
  const first = start(file, "first", options);
  await until(first.session.run("helper", "Go"), ({ type, data }) => type === "execute-start" && data.tool === "look");
  await first.end();
  const { session, store } = start(file, "second", options);
  expect(await (await session.resume()).result).toMatchObject({ status: "completed", text: "Well" });
  expect(ran).toHaveLength(1);
  expect(await store.unfinished()).toEqual([]);
  expect(await store.read({ type: "run-end" })).toMatchObject([
    { data: { agent: "other", status: "failed", error: { code: "interrupted" } } },
    { data: { agent: "helper", status: "completed" } },
  ]);
});

test("a run that works for another is resumed by that one", async () => {
  const file = database();
  const lead: Agent = { name: "lead", description: "Leads", instructions: "You lead." };
  const script: Script = {
    scripts: [
      {
        when: { system: "You lead." },
        turns: [{ calls: [{ tool: "agent", input: { agent: "helper", prompt: "Go" } }] }, "Led"],
      },
      { turns: SEND },
    ],
  };
  const first = start(file, "first", { agents: [lead, HELPER], model: scriptedModel(script), tools: tools([], true) });
  const run = first.session.run("lead", "Go");
  await until(run, ({ type, data }) => type === "execute-start" && data.tool === "send");
  await first.end();
  const { session, store } = start(file, "second", {
    agents: [lead, HELPER],
    model: scriptedModel(script),
    tools: tools([]),
  });
  const child = (await store.read({ type: "run-start" })).find(({ parent }) => parent !== undefined)!.run!;
  await expect(session.resume(child)).rejects.toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining(run.id),
  });
  expect(await (await session.resume()).result).toMatchObject({ status: "completed", text: "Led" });
  expect((await store.read({ type: "run-end" })).map((event) => event.run)).toEqual([child, run.id]);
});
