import { describe, expect, it, vi } from "vitest";
import { ann, connectClient, danger, ERAS, openStage, WAYS } from "./stage.ts";

const ways = ERAS.flatMap((era) => WAYS.map((way) => ({ era, way })));
const FORMS = { capabilities: { elicitation: { form: {} } } };

describe.each(ways)("approval for a client of the $era era, by $way", ({ era, way }) => {
  it("is asked of the person at the client, who sees what would run", async () => {
    const stage = openStage();
    const client = await connectClient(stage, { era, way, ...FORMS });
    const seen: any[] = [];
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      seen.push(params);
      return { action: "accept", content: { answer: "allow once" } };
    });
    const result = await client.callTool({ name: "danger", arguments: { what: "the log" } });
    expect(result.content).toEqual([{ type: "text", text: "the log is gone" }]);
    expect(seen).toHaveLength(1);
    expect(seen[0].message).toContain(`"what": "the log"`);
    expect(seen[0].requestedSchema.properties.answer.enum).toEqual([
      "allow once",
      "allow this input in this session",
      "allow this tool in this session",
      "deny",
    ]);
    await client.close();
    await stage.close();
  });

  it("is refused by a person, by a client that declines, and by an answer that is none", async () => {
    const stage = openStage();
    const client = await connectClient(stage, { era, way, ...FORMS });
    const answers = [
      { action: "accept", content: { answer: "deny" } },
      { action: "decline" },
      { action: "accept", content: { answer: "sure" } },
    ];
    client.setRequestHandler("elicitation/create", async () => answers.shift() as never);
    for (let left = answers.length; left > 0; left--) {
      const result = await client.callTool({ name: "danger" });
      expect(result).toMatchObject({ isError: true, _meta: { "pegboard/error": { code: "denied" } } });
    }
    await client.close();
    await stage.close();
  });

  it("holds as long as the person said", async () => {
    const stage = openStage();
    const client = await connectClient(stage, { era, way, ...FORMS });
    const ask = vi.fn(
      async () => ({ action: "accept", content: { answer: "allow this tool in this session" } }) as const,
    );
    client.setRequestHandler("elicitation/create", ask);
    await client.callTool({ name: "danger", arguments: { what: "one" } });
    const result = await client.callTool({ name: "danger", arguments: { what: "two" } });
    expect(result.content).toEqual([{ type: "text", text: "two is gone" }]);
    expect(ask).toHaveBeenCalledTimes(1);
    await client.close();
    await stage.close();
  });

  it("tells how others can answer where the client cannot ask, and gives the result to who comes back", async () => {
    const stage = openStage({}, { times: { waitMs: 20 } });
    const client = await connectClient(stage, { era, way });
    const refused = await client.callTool({ name: "danger", arguments: { what: "one" } });
    const approval = (refused._meta!["pegboard/error"] as any).approvals[0] as string;
    expect(refused.isError).toBe(true);
    expect(refused.content).toEqual([
      { type: "text", text: expect.stringContaining(`pegboard approvals answer ${approval} allow`) },
    ]);
    await stage.desk.answer(ann, approval, { decision: "allow" });
    const result = await client.callTool({ name: "danger", arguments: { what: "one" } });
    expect(result.content).toEqual([{ type: "text", text: "one is gone" }]);
    await client.close();
    await stage.close();
  });

  it("A4-13: is answered from elsewhere while the call runs and the client asks nobody", async () => {
    const stage = openStage();
    const client = await connectClient(stage, { era, way });
    const calling = client.callTool({ name: "danger", arguments: { what: "one" } });
    const pending = () => stage.desk.sessions(ann).flatMap((session) => session.pending);
    await vi.waitUntil(() => pending().length === 1);
    await stage.desk.answer(ann, pending()[0]!.id, { decision: "allow" });
    expect((await calling).content).toEqual([{ type: "text", text: "one is gone" }]);
    await client.close();
    await stage.close();
  });

  it("leaves it to others when the form is dismissed", async () => {
    const stage = openStage({}, { times: { waitMs: 20 } });
    const client = await connectClient(stage, { era, way, ...FORMS });
    client.setRequestHandler("elicitation/create", async () => ({ action: "cancel" }));
    const result = await client.callTool({ name: "danger" });
    expect(result.content).toEqual([{ type: "text", text: expect.stringContaining("pegboard approvals answer") }]);
    await client.close();
    await stage.close();
  });
});

describe("an operator's own word", () => {
  it("allows all, or none", async () => {
    for (const [approve, text] of [
      ["all", "it is gone"],
      ["none", expect.stringContaining("nobody is there to ask")],
    ] as const) {
      const stage = openStage({ tools: [danger] }, { approve });
      const client = await connectClient(stage);
      expect((await client.callTool({ name: "danger" })).content).toEqual([{ type: "text", text }]);
      await client.close();
      await stage.close();
    }
  });
});
