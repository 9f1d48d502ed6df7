// Every field of a plugin, each with a check that it does what it says.
import assert from "node:assert/strict";
import { definePlugin, defineTool, fillCommand } from "pegboard";
import { stage } from "./stage.ts";

{
  const named = definePlugin({
    name: "post",
    version: "1.2.0",
    description: "Letters and parcels",
    tools: [],
  });

  const { runtime } = await stage([named]);
  const { name, version, status } = runtime.plugins.get("post")!;
  assert.deepEqual([name, version, status], ["post", "1.2.0", "healthy"]);
  await runtime.close();
}

{
  const weigh = defineTool({
    name: "weigh",
    description: "Weighs a parcel",
    input: { type: "object", properties: { parcel: { type: "string" } }, required: ["parcel"] },
    capabilities: ["read"],
    execute: ({ parcel }) => ({ parcel, grams: 250 }),
  });
  const post = definePlugin({
    name: "post",
    version: "1.0.0",
    tools: [
      weigh,
      {
        name: "send",
        description: "Sends a parcel",
        schema: { type: "object", properties: { parcel: { type: "string" } }, required: ["parcel"] },
        audience: "human",
        async handler(host, { parcel }: { parcel: string }, { threadId, progress }) {
          progress("on the scales", { current: 1, total: 2 });
          const { structured } = await host.call("post__weigh", { parcel });
          const { grams } = structured as { grams: number };
          return { text: `${parcel} is on its way, ${grams} g`, blocks: [{ kind: "receipt", threadId }] };
        },
      },
    ],
  });

  const { runtime, session: model } = await stage([post]);
  assert.equal((await model.call("post__send", { parcel: "p1" })).error?.code, "denied");
  const session = runtime.open({ as: "user" });
  const sent = await session.call("post__send", { parcel: "p1" });
  assert.deepEqual(sent.content, [{ type: "text", text: "p1 is on its way, 250 g" }]);
  assert.deepEqual(sent.structured, { blocks: [{ kind: "receipt", threadId: session.id }] });
  await runtime.close();
}

{
  const post = definePlugin({
    name: "post",
    version: "1.0.0",
    agents: [{ name: "clerk", description: "Knows the prices", instructions: "You sell stamps.", tools: ["post__*"] }],
  });

  const { runtime, session } = await stage([post]);
  assert.equal((await session.run("post/clerk", "A stamp, please").result).text, "Hello.");
  await runtime.close();
}

{
  const post = definePlugin({
    name: "post",
    version: "1.0.0",
    skills: [
      {
        name: "packing",
        description: "How fragile things are packed",
        tools: ["post__send"],
        forModels: true,
        read: () => "Wrap everything twice. paper.md says in what.",
        list: () => ["paper.md"],
        readFile: (path) => (path === "paper.md" ? "In brown paper." : Promise.reject(new Error("No such file"))),
      },
    ],
  });

  const { runtime, session } = await stage([post]);
  assert.match(JSON.stringify(await session.call("skill", { name: "packing" })), /Wrap everything twice/);
  assert.match(JSON.stringify(await session.call("skill", { name: "packing", file: "paper.md" })), /brown paper/);
  await runtime.close();
}

{
  const post = definePlugin({
    name: "post",
    version: "1.0.0",
    commands: [
      {
        name: "track",
        description: "Where a parcel is",
        argumentHint: "<parcel>",
        prompt: "Find out where parcel $1 is. The customer said: $ARGUMENTS",
        agent: "assistant",
        model: "scripted:script.yaml",
        tools: ["post__*"],
      },
    ],
  });

  const { runtime } = await stage([post]);
  const prompt = fillCommand(runtime.commands.find("post:track").item, "p1 since Monday");
  assert.equal(prompt, "Find out where parcel p1 is. The customer said: p1 since Monday");
  await runtime.close();
}

{
  const post = definePlugin({
    name: "post",
    version: "1.0.0",
    prompts: [
      {
        name: "complaint",
        description: "A letter about a parcel that is late",
        arguments: [{ name: "parcel", description: "Its number", required: true }],
        get: ({ parcel }) => `Write a letter about parcel ${parcel}, which is late.`,
        complete: (argument, value) => ["p1", "p2"].filter((one) => one.startsWith(value)),
      },
    ],
  });

  const { runtime } = await stage([post]);
  const { item } = runtime.prompts.find("post:complaint");
  const text = await item.get({ parcel: "p1" }, { signal: AbortSignal.timeout(1_000) });
  assert.equal(text, "Write a letter about parcel p1, which is late.");
  await runtime.close();
}

{
  const post = definePlugin({
    name: "post",
    version: "1.0.0",
    resources: [
      {
        name: "parcel",
        description: "What is known of a parcel",
        uri: "post://parcels/{parcel}",
        mimeType: "application/json",
        read: (uri, { parcel }) => JSON.stringify({ parcel, grams: 250 }),
      },
    ],
  });

  const { runtime } = await stage([post]);
  const { item } = runtime.resources.find("post:parcel");
  const text = await item.read("post://parcels/p1", { parcel: "p1" }, AbortSignal.timeout(1_000));
  assert.equal(text, '{"parcel":"p1","grams":250}');
  await runtime.close();
}

{
  const post = definePlugin({
    name: "post",
    version: "1.0.0",
    mcpServers: {
      scales: { command: "post-scales", args: ["--mcp"], env: { UNIT: "g" }, cwd: "scales", tools: ["weigh*"] },
      maps: { url: "https://maps.example/mcp", type: "http", headers: { Authorization: "Bearer ${MAPS_TOKEN}" } },
      plain: { command: "print", args: ["${NOT_FILLED_IN}"], literal: true },
    },
  });

  // A workspace starts and reaches them; this runtime was not told how to, and the plugin says so.
  const { runtime } = await stage([post]);
  const { status, components } = runtime.plugins.get("post")!;
  assert.deepEqual([status, components.length], ["degraded", 3]);
  await runtime.close();
}

{
  const post = definePlugin({
    name: "post",
    version: "1.0.0",
    settingsSchema: {
      type: "object",
      properties: { office: { type: "string" }, stamps: { type: "integer", default: 10 } },
      required: ["office"],
    },
    tools: [
      {
        name: "office",
        description: "Which office this is",
        schema: {},
        handler: async ({ settings }) => JSON.stringify(settings),
      },
    ],
  });

  const { runtime, session } = await stage([post]);
  assert.match(runtime.plugins.get("post")!.reason!, /office/);
  await runtime.plugins.configure("post", { office: "Main Street" });
  const answer = await session.call("post__office");
  assert.deepEqual(answer.content, [{ type: "text", text: '{"office":"Main Street","stamps":10}' }]);
  await runtime.close();
}

{
  const post = definePlugin({
    name: "post",
    version: "1.0.0",
    activation: "tagged",
    tools: [{ name: "stamp", description: "Stamps a letter", schema: {}, handler: async () => "stamped" }],
  });

  const { runtime, session } = await stage([post]);
  const has = () => session.list().some(({ name }) => name === "post__stamp");
  assert.equal(has(), false);
  await session.run("assistant", "+post How much is a stamp?").result;
  assert.equal(has(), true);
  await session.run("assistant", "-post Thanks").result;
  assert.equal(has(), false);
  await runtime.close();
}

{
  const steps: string[] = [];
  const post = definePlugin({
    name: "post",
    version: "1.0.0",
    register(host) {
      host.state.set("counter", "open");
      steps.push("register");
      return { afterCall: () => void steps.push("a call") };
    },
    start: () => void steps.push("start"),
    stop: (host) => void steps.push(`stop, the counter was ${String(host.state.get("counter"))}`),
  });

  const { runtime, session } = await stage([post]);
  await session.call("add", { a: 1, b: 2 });
  await runtime.close();
  assert.deepEqual(steps, ["register", "start", "a call", "stop, the counter was open"]);
}

{
  const post = definePlugin({
    name: "post",
    version: "1.0.0",
    tools: [{ name: "stamp", description: "Stamps a letter", schema: {}, handler: async () => "stamped" }],
    start: () => Promise.reject(new Error("the scales are broken")),
    onStartFailed: (host) => host.report("degraded", "works without scales"),
  });

  const { runtime, session } = await stage([post]);
  assert.equal(runtime.plugins.get("post")!.status, "degraded");
  assert.equal((await session.call("post__stamp")).ok, true);
  await runtime.close();
}
