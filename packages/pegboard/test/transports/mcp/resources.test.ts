import { describe, expect, it } from "vitest";
import { defineTool } from "../../../src/index.ts";
import { connectClient, ERAS, openStage } from "./stage.ts";

const long = defineTool({
  name: "long",
  description: "Says much",
  input: { type: "object" },
  approval: "preApproved",
  execute: () => "abc".repeat(100_000),
});

describe.each(ERAS)("resources for a client of the %s era", (era) => {
  it("are the virtual files", async () => {
    const stage = openStage({ builtins: true, tools: [] });
    const client = await connectClient(stage, { era });
    await client.callTool({ name: "vfs_write", arguments: { path: "notes/a b.md", content: "hello" } });
    const { resources } = await client.listResources();
    expect(resources).toEqual([{ uri: "vfs:///notes/a%20b.md", name: "notes/a b.md" }]);
    const { contents } = await client.readResource({ uri: resources[0]!.uri });
    expect(contents).toEqual([{ uri: resources[0]!.uri, mimeType: "text/plain", text: "hello" }]);
    await client.close();
    await stage.close();
  });

  it("are results that were cut, whole", async () => {
    const stage = openStage({ builtins: true, tools: [long], limits: { resultCharacters: 1_000 } });
    const client = await connectClient(stage, { era });
    const { content } = await client.callTool({ name: "long" });
    const handle = /"handle":"([^"]+)"/.exec(JSON.stringify(content).replaceAll("\\", ""))![1]!;
    const { contents } = await client.readResource({ uri: `result:///${handle}` });
    expect((contents[0] as { text: string }).text).toBe("abc".repeat(100_000));
    await client.close();
    await stage.close();
  });

  it("are not what the session may not read, or what is not there", async () => {
    const rules = [
      { tool: "vfs_list", approval: "blocked" },
      { tool: "read_result", approval: "ask" },
    ] as const;
    const stage = openStage({ builtins: true, tools: [], policy: { rules } });
    const client = await connectClient(stage, { era });
    await client.callTool({ name: "vfs_write", arguments: { path: "a.md", content: "hello" } });
    expect((await client.listResources()).resources).toEqual([]);
    await expect(client.readResource({ uri: "result:///x" })).rejects.toMatchObject({
      message: expect.stringContaining("approval"),
    });
    for (const uri of ["vfs:///none.md", "vfs:///%ff", "file:///etc/passwd", "javascript:alert(1)"])
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: expect.any(Number) });
    await client.close();
    await stage.close();
  });
});

describe("a long result", () => {
  it("is cut for clients, who are told how to read on", async () => {
    const stage = openStage({ builtins: true, tools: [long] });
    const client = await connectClient(stage);
    const { content } = await client.callTool({ name: "long" });
    expect(content).toEqual([
      { type: "text", text: expect.stringMatching(/^(abc)+a$/) },
      { type: "text", text: expect.stringContaining("the first 100000 of 300000 characters are shown; read on with") },
    ]);
    await client.close();
    await stage.close();
  });
});
