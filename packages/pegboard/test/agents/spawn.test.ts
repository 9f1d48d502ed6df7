import { describe, expect, test } from "vitest";
import { call, type Cast, holding, ofType, stage } from "./stage.ts";

const VFS = { vfs: { editAgents: true } };
const SCOUT = "---\nname: scout\ndescription: Looks\n---\nYou are the scout.";
const spawn = (name: string, more: Readonly<Record<string, string>> = {}) =>
  call("spawn_agent", { name, prompt: "Look around", ...more });

/** Runs "lead" with this first turn, beside a scout that may be written. */
async function lead(first: ReturnType<typeof call>, options: Parameters<typeof stage>[1] = VFS, more: Cast = {}) {
  const cast: Cast = { lead: { says: [first, "Started.", "Done.", "Done again."] }, ...more };
  const scene = stage(cast, options);
  const result = await scene.session.run("lead", "Go").result;
  return { ...scene, result, files: await scene.runtime.store.files.list(), events: await scene.log() };
}

describe("spawn_agent", () => {
  test.each([
    ["scout", "scout.md"],
    ["scout.txt", "scout.md"],
    ["agents/scout.md", "scout.md"],
    ["my scout!.md", "my-scout-.md"],
  ])("A0-14: with the name %s fails and proposes %s", async (name, proposed) => {
    const { events, files } = await lead(spawn(name, { content: SCOUT }));
    const [end] = ofType(events, "call-end");
    expect(end!.data.error).toMatchObject({ code: "invalid_input", message: expect.stringContaining(`"${proposed}"`) });
    expect(files).toEqual([]);
  });

  test("A0-15: at the greatest depth fails with both depths, and makes no file", async () => {
    const says = [call("agent", { agent: "middle", prompt: "Go on" }), "Done."];
    const scene = stage(
      { lead: { says }, middle: { says: [spawn("scout.md", { content: SCOUT }), "Done."] } },
      { ...VFS, limits: { depth: 1 } },
    );
    await scene.session.run("lead", "Go").result;
    const events = await scene.log();
    const end = ofType(events, "call-end").find(({ data }) => data.tool === "spawn_agent");
    expect(end!.data.error).toMatchObject({
      code: "depth_limit",
      message: expect.stringMatching(/would be 2 deep \(lead > middle > scout\); the limit is 1/),
    });
    expect(await scene.runtime.store.files.list()).toEqual([]);
    expect(ofType(events, "task-start")).toEqual([]);
  });

  test("A0-17: an agent that has the name is taken, and its file stays as it is", async () => {
    const scene = stage(
      {
        lead: {
          says: [
            call("vfs_write", { path: "agents/scout.md", content: SCOUT }),
            spawn("scout.md", {
              content: "---\nname: scout\ndescription: Other\n---\nYou are the other.",
              mode: "wait",
            }),
            "Done.",
          ],
        },
        scout: { says: ["A tree."] },
      },
      // The file is all that makes the scout.
      { ...VFS, agents: [{ name: "lead", description: "Leads", instructions: "You are the lead." }] },
    );
    expect(await scene.session.run("lead", "Go").result).toMatchObject({ status: "completed" });
    expect(await scene.runtime.store.files.read("agents/scout.md")).toMatchObject({ text: SCOUT, version: 1 });
    expect(scene.heardBy("lead").at(-1)).toContain("A tree.");
  });

  test("makes an agent that is not there, and says when the file makes none", async () => {
    const agents = [{ name: "lead", description: "Leads", instructions: "You are the lead." }];
    const made = await lead(
      spawn("scout.md", { content: SCOUT }),
      { ...VFS, agents },
      { scout: { says: ["A tree."] } },
    );
    expect(made.files).toEqual(["agents/scout.md"]);
    expect(made.heardBy("lead").at(-1)).toContain("A tree.");
    const other = SCOUT.replace("name: scout", "name: spy");
    const { events } = await lead(spawn("scout.md", { content: other }), { ...VFS, agents });
    const end = ofType(events, "call-end").find(({ data }) => data.tool === "spawn_agent");
    expect(end!.data.error).toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining('no agent "scout"'),
    });
  });

  test("does not write where editing agents is not permitted, and needs a content for one that is not there", async () => {
    const denied = await lead(spawn("scout.md", { content: SCOUT }), {});
    const codes = (events: typeof denied.events) =>
      ofType(events, "call-end").flatMap(({ data }) => (data.tool === "spawn_agent" ? [data.error?.code] : []));
    expect(codes(denied.events)).toEqual(["denied"]);
    expect(denied.files).toEqual([]);
    expect(codes((await lead(spawn("scout.md"))).events)).toEqual(["not_found"]);
  });

  test("A0-18: in the background it replies before the child runs, and the result comes later, once", async () => {
    const { events, heardBy, result, requestsOf } = await lead(spawn("scout.md"), {}, { scout: { says: ["A tree."] } });
    expect(result).toMatchObject({ status: "completed", text: "Done." });
    const reply = events.findIndex(({ type }) => type === "call-end");
    const childStarts = events.findIndex(({ type, data }) => type === "run-start" && data.agent === "scout");
    expect(reply).toBeLessThan(childStarts);
    expect(events.findIndex(({ type }) => type === "task-start")).toBeLessThan(reply);
    expect(requestsOf("lead")[1]!.messages.at(-1)).toMatchObject({
      results: [{ content: [{ text: expect.stringContaining("runs in the background") }] }],
    });
    const told = heardBy("lead").filter((text) => text.includes("A tree."));
    expect(told).toEqual([expect.stringMatching(/^Task .*"scout": completed after 1 try\.\n<result>\nA tree\./)]);
    const [{ data }] = ofType(events, "task-end") as [ReturnType<typeof ofType<"task-end">>[number]];
    expect(data).toMatchObject({ state: "completed", text: "A tree." });
    const added = ofType(events, "transcript-change").filter((change) => change.data.task === data.task);
    expect(added).toHaveLength(1);
  });

  test("A0-19: a child can do nothing that its parent could not, whether its file says nothing or asks for all", async () => {
    for (const tools of ["", "tools: ['*']\n"]) {
      const { tool } = holding("peek");
      const content = `---\nname: scout\ndescription: Looks\n${tools}---\nYou are the scout.`;
      const { events, requestsOf } = await lead(
        spawn("scout.md", { content, mode: "wait" }),
        {
          ...VFS,
          tools: [tool],
          agents: [
            { name: "lead", description: "", instructions: "You are the lead.", tools: ["spawn_agent", "vfs_write"] },
          ],
        },
        { scout: { says: [call("peek"), "Done."] } },
      );
      expect(requestsOf("scout")[0]!.tools.map(({ name }) => name)).toEqual(["spawn_agent", "vfs_write"]);
      const peeked = ofType(events, "call-end").find(({ data }) => data.tool === "peek");
      expect(peeked!.data.error?.code).toBe("denied");
    }
  });
});

describe("an agent that speaks to the one above", () => {
  const message = "I found it";

  test("A0-20: a signal brings the parent back to work with the message and the child's name", async () => {
    const hold = holding();
    const scene = stage(
      {
        lead: { says: [spawn("scout.md"), "Started.", "Noted.", "Done."] },
        scout: { says: [call("signal_parent", { message }), call("hold"), "A tree."] },
      },
      { tools: [hold.tool] },
    );
    const run = scene.session.run("lead", "Go");
    for await (const event of run) {
      const isNoted = event.type === "turn-end" && event.run === run.id && event.data.turn === 3;
      // The parent has read the signal while the child is still at work.
      if (isNoted) expect(scene.heardBy("lead").at(-1)).toMatch(/^Message from agent "scout" .*\nI found it$/);
      if (isNoted) hold.letGo();
    }
    expect(await run.result).toMatchObject({ status: "completed", text: "Done.", turns: 4 });
  });

  test("A3-33: a checkin is there when the parent works next, and does not bring it back", async () => {
    const hold = holding();
    const scene = stage(
      {
        lead: { says: [spawn("scout.md"), "Started.", "Done."] },
        scout: { says: [call("checkin", { message }), call("hold"), "A tree."] },
      },
      { tools: [hold.tool] },
    );
    const run = scene.session.run("lead", "Go");
    void hold.entered.then(() => setTimeout(hold.letGo, 20));
    expect(await run.result).toMatchObject({ status: "completed", text: "Done.", turns: 3 });
    const heard = scene.heardBy("lead");
    expect(heard.filter((text) => text.startsWith('Progress from agent "scout"'))).toHaveLength(1);
    expect(heard.at(-1)).toContain("A tree.");
  });

  test.each([
    ["A0-20", "signal_parent", "hello"],
    ["A3-33", "checkin", "hello"],
    ["A3-33", "checkin", "  "],
  ])("%s: %s from a root, or of nothing, is an error", async (_, tool, text) => {
    const { events } = await lead(call(tool, { message: text }));
    expect(ofType(events, "call-end")[0]!.data.error?.code).toBe("invalid_input");
  });
});
