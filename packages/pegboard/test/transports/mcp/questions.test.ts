import { describe, expect, it } from "vitest";
import { definePlugin, defineTool } from "../../../src/index.ts";
import { connectClient, ERAS, openStage, type Stage, WAYS } from "./stage.ts";

const FORM = {
  message: "Which colour?",
  requestedSchema: { type: "object", properties: { colour: { type: "string" } }, required: ["colour"] },
} as const;

const paint = defineTool({
  name: "paint",
  description: "Paints a wall in the colour that the person wants",
  input: { type: "object", properties: {} },
  approval: "preApproved",
  async execute(_, { client }) {
    const answer = (await client!.ask("colour", "elicitation/create", FORM)) as { content: { colour: string } };
    return `painted ${answer.content.colour}`;
  },
});

const ways = ERAS.flatMap((era) => WAYS.map((way) => ({ era, way })));

describe.each(ways)("a tool that asks its client of the $era era, by $way", ({ era, way }) => {
  it("gets the answer of the person", async () => {
    const stage = openStage({ tools: [paint] });
    const client = await connectClient(stage, { era, way, capabilities: { elicitation: {} } });
    const asked: string[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { colour: "blue" } };
    });
    const { content } = await client.callTool({ name: "paint", arguments: {} });
    expect(content).toEqual([{ type: "text", text: "painted blue" }]);
    expect(asked).toEqual(["Which colour?"]);
    await client.close();
    await stage.close();
  });

  it("fails with what the client would have to be able to do, when it cannot", async () => {
    const stage = openStage({ tools: [paint] });
    const client = await connectClient(stage, { era, way });
    const told = await client.callTool({ name: "paint", arguments: {} }).then(
      ({ isError, content }) => ({ isError, said: JSON.stringify(content) }),
      ({ code, message }: { code: number; message: string }) => ({ code, said: message }),
    );
    expect(told).toMatchObject(era === "modern" ? { code: -32021 } : { isError: true });
    expect(told.said).toContain("elicitation/create");
    await client.close();
    await stage.close();
  });
});

describe.each(ERAS)("what a plugin brings for clients of the %s era", (era) => {
  async function open(): Promise<Stage> {
    const stage = openStage({ tools: [] }, { bareNames: true });
    const plugin = definePlugin({
      name: "house",
      version: "1.0.0",
      tools: [paint],
      prompts: [
        {
          name: "offer",
          description: "An offer for a room",
          arguments: [{ name: "room", required: true }],
          get: ({ room }) => `Write an offer for the ${room}.`,
          complete: (_, value) => ["kitchen", "cellar"].filter((room) => room.startsWith(value)),
        },
      ],
      resources: [
        { name: "rooms", uri: "house://rooms", read: () => "kitchen, cellar" },
        { name: "room", uri: "house://rooms/{room}/size", read: (_, { room }) => `${room}: 12 m²` },
      ],
    });
    await stage.desk.runtime.plugins.add({ plugin });
    return stage;
  }

  it("are prompts with named arguments, which are completed", async () => {
    const stage = await open();
    const client = await connectClient(stage, { era });
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["offer"]);
    const { messages } = await client.getPrompt({ name: "offer", arguments: { room: "cellar" } });
    expect(messages).toEqual([{ role: "user", content: { type: "text", text: "Write an offer for the cellar." } }]);
    const ref = { type: "ref/prompt", name: "offer" } as const;
    const { completion } = await client.complete({ ref, argument: { name: "room", value: "k" } });
    expect(completion.values).toEqual(["kitchen"]);
    await client.close();
    await stage.close();
  });

  it("are resources by their address, and by addresses of one form", async () => {
    const stage = await open();
    const client = await connectClient(stage, { era });
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(["house://rooms"]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain("house://rooms/{room}/size");
    const read = async (uri: string) => (await client.readResource({ uri })).contents;
    expect(await read("house://rooms")).toEqual([{ uri: "house://rooms", text: "kitchen, cellar" }]);
    expect(await read("house://rooms/my%20room/size")).toMatchObject([{ text: "my room: 12 m²" }]);
    await expect(read("house://rooms/a/b/size")).rejects.toThrow("not found");
    await client.close();
    await stage.close();
  });

  it("are tools without the name of the plugin, where that was asked for and is clear", async () => {
    const stage = await open();
    const other = definePlugin({ name: "car", version: "1.0.0", tools: [{ ...paint, name: "wash" }] });
    await stage.desk.runtime.plugins.add({ plugin: other });
    const client = await connectClient(stage, { era });
    const names = async () =>
      (await client.listTools({}, { cacheMode: "bypass" } as never)).tools.map(({ name }) => name);
    expect(await names()).toEqual(["wash", "paint"]);
    const twin = definePlugin({ name: "boat", version: "1.0.0", tools: [paint] });
    await stage.desk.runtime.plugins.add({ plugin: twin });
    expect(await names()).toEqual(["boat__paint", "wash", "house__paint"]);
    await client.close();
    await stage.close();
  });
});
