import type { Skill } from "@pegboard/contract";
import { expect, test } from "vitest";
import { createRuntime, type Runtime, scriptedModel } from "../../src/index.ts";

function skill(name: string, more: Partial<Skill> = {}): Skill {
  return { name, description: `What ${name} is for`, read: () => `How to ${name}`, ...more };
}

async function settled(runtime: Runtime): Promise<string | undefined> {
  await Promise.resolve();
  return runtime
    .open()
    .list()
    .find(({ name }) => name === "skill")?.description;
}

function call(runtime: Runtime, input: { readonly name?: string; readonly file?: string; readonly search?: string }) {
  return runtime.open().call("skill", input);
}

test("the tool is there as long as there are skills, and tells their names and descriptions", async () => {
  const runtime = createRuntime();
  expect(await settled(runtime)).toBeUndefined();
  const pdf = runtime.skills.register(skill("pdf"), { plugin: "acme" });
  expect(await settled(runtime)).toContain("- acme:pdf: What pdf is for");
  const docx = runtime.skills.register(skill("docx"));
  expect(await settled(runtime)).toContain("- docx: What docx is for");
  pdf[Symbol.dispose]();
  expect(await settled(runtime)).not.toContain("acme:pdf");
  docx[Symbol.dispose]();
  expect(await settled(runtime)).toBeUndefined();
  await runtime.close();
});

test("the board changes once when many skills come together", async () => {
  const runtime = createRuntime();
  let changes = 0;
  runtime.tools.onChange(() => changes++);
  for (let index = 0; index < 50; index++) runtime.skills.register(skill(`s${index}`));
  await settled(runtime);
  expect(changes).toBe(1);
  await runtime.close();
});

test("the text of a skill is read only when it is asked for, with its files and the tools that it expects", async () => {
  const runtime = createRuntime();
  let reads = 0;
  runtime.skills.register(
    skill("pdf", {
      read: () => `read ${++reads}`,
      list: () => ["forms.md", "a/b.py"],
      readFile: (path) => (path === "forms.md" ? "fill it in" : new Uint8Array([0xff, 0xfe, 0xff])),
      tools: ["Bash(pdftotext:*)"],
    }),
  );
  await settled(runtime);
  expect(reads).toBe(0);
  const { content } = await call(runtime, { name: "pdf" });
  expect(content).toEqual([
    {
      type: "text",
      text: 'read 1\n\n(skill "pdf" expects these tools: Bash(pdftotext:*))\n\n(files of skill "pdf", to be read with file: forms.md, a/b.py)',
    },
  ]);
  expect(await call(runtime, { name: "pdf", file: "forms.md" })).toMatchObject({ content: [{ text: "fill it in" }] });
  expect(await call(runtime, { name: "pdf", file: "a/b.py" })).toMatchObject({ error: { code: "invalid_input" } });
  await runtime.close();
});

test("a skill that is not there, is for people, or could be several, is an error that says so", async () => {
  const runtime = createRuntime();
  runtime.skills.register(skill("pdf"), { plugin: "a" });
  runtime.skills.register(skill("pdf"), { plugin: "b" });
  runtime.skills.register(skill("secret", { forModels: false }));
  expect(await settled(runtime)).not.toContain("secret");
  expect(await call(runtime, { name: "pdfs" })).toMatchObject({ error: { code: "not_found" } });
  expect(await call(runtime, { name: "pdf" })).toMatchObject({
    error: { code: "invalid_input", message: expect.stringContaining("a:pdf, b:pdf") as string },
  });
  expect(await call(runtime, { name: "secret" })).toMatchObject({ error: { code: "denied" } });
  expect(await call(runtime, {})).toMatchObject({ error: { code: "invalid_input" } });
  await runtime.close();
});

test("more skills than the description has room for are found by their words", async () => {
  const runtime = createRuntime();
  for (let index = 0; index < 300; index++)
    runtime.skills.register(skill(`skill-${index}`, { description: `Number ${index}. ${"Long ".repeat(80)}` }));
  runtime.skills.register(skill("zebra", { description: "Paints stripes on horses" }));
  const description = (await settled(runtime))!;
  expect(description.length).toBeLessThan(10_000);
  expect(description).toMatch(/more skills that are not listed, to be found with search: \d+/);
  expect(await call(runtime, { search: "paint a horse with stripes" })).toMatchObject({
    content: [{ text: "- zebra: Paints stripes on horses" }],
  });
  expect(await call(runtime, { search: "quantum" })).toMatchObject({
    content: [{ text: expect.stringMatching(/^No skill/) as string }],
  });
  await runtime.close();
});

test("a skill that plugins bring is one that nobody has to approve reading", async () => {
  const runtime = createRuntime();
  runtime.skills.register(skill("pdf"), { plugin: "acme" });
  await settled(runtime);
  expect(
    runtime
      .open()
      .list()
      .find(({ name }) => name === "skill"),
  ).toMatchObject({
    approval: "preApproved",
    capabilities: ["read"],
    source: { kind: "builtin" },
  });
  await runtime.close();
});

test("skills of a plugin that waits for its tag are neither told nor read until a prompt says it", async () => {
  const runtime = createRuntime({ model: scriptedModel(["Done."]) });
  const activation = "tagged" as const;
  await runtime.plugins.add({ plugin: { name: "acme", version: "1.0.0", activation, skills: [skill("pdf")] } });
  expect(await settled(runtime)).not.toContain("acme:pdf");
  const session = runtime.open();
  expect(await session.call("skill", { name: "pdf" })).toMatchObject({ error: { code: "not_found" } });
  expect(await session.call("skill", { search: "pdf" })).toMatchObject({
    content: [{ text: expect.stringMatching(/^No skill/) as string }],
  });
  await session.run("assistant", "+acme read the file").result;
  expect(await session.call("skill", { name: "pdf" })).toMatchObject({ content: [{ text: "How to pdf" }] });
  await runtime.close();
});
