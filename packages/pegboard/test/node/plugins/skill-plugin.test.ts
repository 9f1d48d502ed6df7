import { rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readPluginFolder } from "../../../src/node/plugins/discover.ts";
import { makePlugin } from "./plugin-files.ts";

const skill = (name: string) => `---\nname: ${name}\ndescription: What ${name} is for\n---\n\nDo ${name}.\n`;
const AGENT_PLUGIN = '{"$schema":"https://agent-plugins.org/schemas/1.0.0/plugin.schema.json","name":"acme"}';

async function read(files: Parameters<typeof makePlugin>[0]) {
  const { folder, deps } = makePlugin(files);
  const found = await readPluginFolder(folder.root, deps);
  if ("severity" in found) throw new Error(found.message);
  return found;
}

test("a folder that is a skill is a plugin with that skill", async () => {
  const { loaded, name } = await read({ "SKILL.md": skill("pdf"), "forms/a.md": "Fill.", ".git/config": "" });
  expect(name).toBe("the-plugin");
  expect(loaded!.origin.format).toBe("agent-skills");
  const [it] = loaded!.plugin.skills!;
  expect(it).toMatchObject({ name: "pdf", description: "What pdf is for" });
  expect(await it!.read()).toBe("Do pdf.");
  expect(await it!.list!()).toEqual(["forms/a.md"]);
  expect(String(await it!.readFile!("forms/a.md"))).toBe("Fill.");
});

test("a folder of skills without a manifest is a plugin with those skills", async () => {
  const { loaded } = await read({ "skills/a/SKILL.md": skill("a"), "skills/b/SKILL.md": skill("b") });
  expect(loaded!.plugin.skills!.map(({ name }) => name)).toEqual(["a", "b"]);
});

test("the text of a skill is what the file says when it is read", async () => {
  const { folder, deps } = makePlugin({ "SKILL.md": skill("pdf") });
  const found = await readPluginFolder(folder.root, deps);
  const [it] = "severity" in found ? [] : found.loaded!.plugin.skills!;
  writeFileSync(folder.absolute("SKILL.md"), skill("pdf").replace("Do pdf", "Do it well"));
  expect(await it!.read()).toBe("Do it well.");
  rmSync(folder.absolute("SKILL.md"));
  await expect(async () => it!.read()).rejects.toThrow(/no such file/);
});

test("an Agent Plugin that is one of Claude Code, too, brings the agents and commands of that", async () => {
  const { loaded, origin } = await read({
    "plugin.json": AGENT_PLUGIN,
    ".claude-plugin/plugin.json": '{"name":"other"}',
    "agents/critic.md": "---\nname: critic\ndescription: Criticizes\n---\n\nCriticize.\n",
    "commands/review.md": "Review.",
    "skills/a/SKILL.md": skill("a"),
  });
  expect(origin.format).toBe("agent-plugin");
  expect(loaded!.plugin).toMatchObject({
    name: "acme",
    agents: [{ name: "critic" }],
    commands: [{ name: "review" }],
    skills: [{ name: "a" }],
  });
});
