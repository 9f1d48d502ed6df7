import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { openAskLine } from "./ask-line.ts";
import { openStage } from "./stage.ts";

describe("skills for clients of MCP", () => {
  it("are listed with the digests of their files, which can be read", async () => {
    const stage = openStage();
    stage.desk.runtime.skills.register({
      name: "packing",
      description: "How things are packed",
      read: () => "Wrap it twice.",
      list: () => ["paper/kinds.md"],
      readFile: () => "Brown.",
    });
    stage.desk.runtime.skills.register({ name: "secret", description: "For people", forModels: false, read: () => "" });
    const ask = openAskLine(stage);
    const { result } = await ask("skills/list");
    const digest = `sha256:${createHash("sha256").update("Brown.").digest("hex")}`;
    expect(result.skills).toMatchObject([
      {
        uri: "skill://packing/SKILL.md",
        frontmatter: { name: "packing", description: "How things are packed" },
        resources: [{ uri: "skill://packing/SKILL.md" }, { uri: "skill://packing/paper/kinds.md", size: 6, digest }],
      },
    ]);
    const { result: read } = await ask("resources/read", { uri: "skill://packing/paper/kinds.md" });
    expect(read.contents).toEqual([
      { uri: "skill://packing/paper/kinds.md", mimeType: "text/markdown", text: "Brown." },
    ]);
    const { result: folder } = await ask("resources/directory/read", { uri: "skill://packing" });
    expect(folder.resources.map((one: { mimeType: string }) => one.mimeType)).toEqual([
      "text/markdown",
      "inode/directory",
    ]);
    expect((await ask("skills/get", { uri: "skill://secret/SKILL.md" })).error.code).toBe(-32602);
    await stage.close();
  });
});
