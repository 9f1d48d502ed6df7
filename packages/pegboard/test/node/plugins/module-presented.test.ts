import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createDesk } from "../../../src/transports/desk.ts";
import { createMcpDoor } from "../../../src/transports/mcp/door.ts";
import type { Workspace } from "../../../src/node/index.ts";
import { type ClientSettings, connectClient, ERAS } from "../../transports/mcp/stage.ts";
import { makeFolder } from "../workspace-folder.ts";
import { module } from "./module-files.ts";

const CONFIG = `version: 1
sandbox: { mode: process }
policy: { rules: [{ tool: "post__*", approval: preApproved }] }
`;

const PRESENTED = `
  prompts: [
    { name: "letter", description: "A letter", arguments: [{ name: "parcel", required: true }],
      get: ({ parcel }) => "About " + parcel + " from " + process.pid,
      complete: (argument, value) => ["p1", "p2", "q1"].filter((one) => one.startsWith(value)) },
    { name: "talk", description: "A talk", get: async () => [{ role: "assistant", content: { type: "text", text: "Yes?" } }] },
    { name: "whom", description: "Asks", get: async (given, { client }) => {
        const { content } = await client.ask("who", "elicitation/create", { message: "Who?", requestedSchema: { type: "object", properties: { name: { type: "string" } } } });
        return "For " + content.name; } },
    { name: "slow", description: "Never comes", get: (given, { signal }) => new Promise(() => signal.addEventListener("abort", () => console.log("given up"))) },
    { name: "odd", description: "Is none", get: () => ({ messages: [] }) },
    { name: "dies", description: "Ends it all", get: () => process.exit(3) },
  ],
  resources: [
    { name: "parcel", description: "A parcel", uri: "post://parcels/{parcel}", mimeType: "application/json",
      read: (uri, { parcel }) => JSON.stringify({ uri, parcel }) },
    { name: "photo", uri: "post://photo", read: () => ({ mimeType: "image/png", blob: "AAEC" }) },
    { name: "news", uri: "post://news", read: () => "new",
      watch: (uri, changed) => { const timer = setInterval(changed, 20); return { [Symbol.dispose]: () => { clearInterval(timer); console.log("no longer watched"); } }; } },
    { name: "huge", uri: "post://huge", read: () => "x".repeat(17 * 1024 * 1024) },
  ],
  tools: [{ name: "ask", description: "d", input: { type: "object" }, async execute(input, { client }) {
      if (!client) return "nobody";
      client.log("info", { asking: true });
      const refused = await client.ask("folders", "roots/list").catch((error) => error.code);
      const { action } = await client.ask("ok", "elicitation/create", { message: "OK?", requestedSchema: { type: "object", properties: {} } });
      return [client.methods.join(), client.comesBack, client.detach(), refused, action].join(" ");
    } },
    { name: "long", description: "d", input: { type: "object" }, execute: (input, { client }) => String(client.detach({ required: true })) }]`;

describe.each(ERAS)("what a plugin in a process of its own presents to a client of the %s era", (era) => {
  test("is listed, read and watched as that of any plugin", async () => {
    const { client, heard } = await present({ era });
    const { prompts } = await client.listPrompts();
    expect(prompts[0]).toMatchObject({ name: "post__dies" });
    expect(prompts.find(({ name }) => name === "post__letter")).toEqual({
      name: "post__letter",
      description: "A letter",
      arguments: [{ name: "parcel", required: true }],
    });
    const { messages } = await client.getPrompt({ name: "post__letter", arguments: { parcel: "p7" } });
    const [{ content }] = messages as unknown as [{ content: { text: string } }];
    expect(content.text).toMatch(/^About p7 from \d+$/);
    expect(content.text).not.toContain(` ${process.pid}`);
    expect((await client.getPrompt({ name: "post__talk" })).messages).toEqual([
      { role: "assistant", content: { type: "text", text: "Yes?" } },
    ]);
    const ref = { type: "ref/prompt", name: "post__letter" } as const;
    const { completion } = await client.complete({ ref, argument: { name: "parcel", value: "p" } });
    expect(completion.values).toEqual(["p1", "p2"]);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(["post://huge", "post://news", "post://photo"]);
    expect((await client.listResourceTemplates()).resourceTemplates[0]).toEqual({
      uriTemplate: "post://parcels/{parcel}",
      name: "parcel",
      description: "A parcel",
      mimeType: "application/json",
    });
    const uri = "post://parcels/a%20b";
    expect((await client.readResource({ uri })).contents).toEqual([
      { uri, mimeType: "application/json", text: JSON.stringify({ uri, parcel: "a b" }) },
    ]);
    expect((await client.readResource({ uri: "post://photo" })).contents).toEqual([
      { uri: "post://photo", mimeType: "image/png", blob: "AAEC" },
    ]);
    if (era === "modern") return;
    const told = vi.fn();
    client.setNotificationHandler("notifications/resources/updated", told);
    await client.subscribeResource({ uri: "post://news" });
    await vi.waitFor(() => expect(told).toHaveBeenCalled());
    await client.unsubscribeResource({ uri: "post://news" });
    await vi.waitFor(() => expect(heard.join("")).toContain("no longer watched"));
  });

  test("comes and goes with the plugin, and the client is told", async () => {
    const told = vi.fn();
    const { client, workspace } = await present({
      era,
      listChanged: {
        prompts: { onChanged: () => told("prompts"), autoRefresh: false },
        resources: { onChanged: () => told("resources"), autoRefresh: false },
      },
    });
    await workspace.plugins.switch("post", { prompts: ["dies", "odd"], resources: ["huge"] });
    await vi.waitFor(() => expect(new Set(told.mock.calls.flat())).toEqual(new Set(["prompts", "resources"])));
    expect((await client.listPrompts()).prompts).toHaveLength(4);
    await workspace.plugins.disable("post");
    // Told of a change, a client no longer goes by what it remembers.
    await vi.waitFor(async () => expect((await client.listPrompts()).prompts).toEqual([]));
    await workspace.plugins.enable("post");
    await vi.waitFor(async () => expect((await client.listResources()).resources).toHaveLength(2));
  });

  test("can ask its client, and a tool of it can too", async () => {
    const { client } = await present({ era, capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: { name: "Ada" } }));
    const { messages } = await client.getPrompt({ name: "post__whom" });
    expect(messages).toEqual([{ role: "user", content: { type: "text", text: "For Ada" } }]);
    const { content } = await client.callTool({ name: "post__ask" });
    expect(content).toEqual([{ type: "text", text: "elicitation/create false false unavailable accept" }]);
  });

  test("fails by itself when it takes too long, is too big, is nothing of the kind, or its process ends", async () => {
    const { client, workspace, heard } = await present({ era }, "limits: { timeout: 1s }\n");
    await expect(client.getPrompt({ name: "post__slow" })).rejects.toThrow("did not come within 1 seconds");
    await vi.waitFor(() => expect(heard.join("")).toContain("given up"));
    await expect(client.readResource({ uri: "post://huge" })).rejects.toThrow("too big");
    await expect(client.getPrompt({ name: "post__odd" })).rejects.toThrow("a text, or messages");
    expect(workspace.plugins.get("post")).toMatchObject({ status: "healthy" });
    await expect(client.getPrompt({ name: "post__dies" })).rejects.toThrow("exit code 3");
    expect(workspace.plugins.get("post")).toMatchObject({
      status: "degraded",
      reason: expect.stringContaining("exit code 3"),
    });
    await expect(client.readResource({ uri: "post://photo" })).rejects.toThrow("Enable the plugin again");
    await workspace.plugins.enable("post");
    expect((await client.readResource({ uri: "post://photo" })).contents).toHaveLength(1);
  });
});

test("prompts and resources are switched off by name in the configuration", async () => {
  const off =
    "plugins: { off: { post: { prompts: [talk, slow, odd, dies, whom], resources: [photo, news, huge] } } }\n";
  const { client } = await present({}, off);
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["post__letter"]);
  expect((await client.listResources()).resources).toEqual([]);
  await expect(client.readResource({ uri: "post://photo" })).rejects.toThrow("post://photo");
});

test("a tool in a process of its own can say that its client must come back, which one that cannot is told", async () => {
  const { client } = await present({ era: "modern" });
  await expect(client.callTool({ name: "post__long" })).rejects.toMatchObject({
    data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } },
  });
});

/** A client of a workspace with the plugin above, and what the plugin writes. */
async function present(settings: ClientSettings, config = "") {
  const folder = makeFolder({
    "pegboard.yaml": CONFIG + config,
    "plugins/post/index.js": module("post", PRESENTED),
  });
  const heard: string[] = [];
  const workspace: Workspace = await folder.open({ toolOutput: (_, said) => heard.push(said) });
  expect(workspace.plugins.get("post")).toMatchObject({ status: "healthy", diagnostics: [] });
  const desk = createDesk(workspace, {});
  const door = createMcpDoor(desk, { name: "pegboard", version: "1.0.0" });
  const close = async () => {
    await door.close();
    await desk.close(AbortSignal.abort());
  };
  onTestFinished(close);
  return { client: await connectClient({ desk, door, close }, settings), workspace, heard };
}
