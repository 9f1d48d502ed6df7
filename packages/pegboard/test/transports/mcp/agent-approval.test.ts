import { describe, expect, it } from "vitest";
import { scriptedModel } from "../../../src/models/scripted.ts";
import { connectClient, danger, ERAS, openStage, WAYS } from "./stage.ts";

const ways = ERAS.flatMap((era) => WAYS.map((way) => ({ era, way })));
const agents = [{ name: "cleaner", description: "Cleans up", instructions: "You clean up.", tools: ["danger"] }];

describe.each(ways)("an agent that a client of the $era era runs, by $way", ({ era, way }) => {
  it("asks for approval through the client while it works, and reports on the way", async () => {
    const model = scriptedModel([
      { calls: [{ tool: "danger", input: { what: "the cache" } }] },
      { text: "All is clean." },
    ]);
    const policy = { rules: [{ tool: "agent", approval: "preApproved" }] } as const;
    const stage = openStage({ builtins: true, tools: [danger], agents, model, policy });
    const client = await connectClient(stage, { era, way, capabilities: { elicitation: { form: {} } } });
    const asked: string[] = [];
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { answer: "allow once" } };
    });
    const result = await client.callTool({ name: "agent_cleaner", arguments: { prompt: "Clean up" } });
    expect(result.content[0]).toEqual({ type: "text", text: "All is clean." });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain("Asked by: cleaner");
    await client.close();
    await stage.close();
  });
});
