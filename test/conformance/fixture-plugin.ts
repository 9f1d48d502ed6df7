import { definePlugin, defineTool, type Plugin, type Prompt, type Resource, type Skill } from "@pegboard/contract";
import type { Runtime } from "pegboard";
import { PIXEL } from "./fixture-media.ts";
import { FIXTURE_QUESTIONS } from "./fixture-questions.ts";
import { FIXTURE_TASKS } from "./fixture-tasks.ts";
import { askFor, clientOf, FIXTURE_TOOLS } from "./fixture-tools.ts";

const RESOURCES: readonly Resource[] = [
  {
    name: "static-text",
    description: "A text",
    uri: "test://static-text",
    mimeType: "text/plain",
    read: () => "This is the content of the static text resource.",
  },
  {
    name: "static-binary",
    description: "An image",
    uri: "test://static-binary",
    mimeType: "image/png",
    read: () => ({ blob: PIXEL }),
  },
  {
    name: "watched-resource",
    description: "Something that changes",
    uri: "test://watched-resource",
    mimeType: "text/plain",
    read: () => new Date().toISOString(),
    watch(_, changed) {
      const timer = setInterval(changed, 1_000);
      return { [Symbol.dispose]: () => clearInterval(timer) };
    },
  },
  {
    name: "template",
    description: "Data by an id",
    uri: "test://template/{id}/data",
    mimeType: "application/json",
    read: (_, { id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  },
];

const PROMPTS: readonly Prompt[] = [
  {
    name: "test_simple_prompt",
    description: "A text",
    get: () => "This is a simple prompt for testing.",
  },
  {
    name: "test_prompt_with_arguments",
    description: "A text with two places to fill in",
    arguments: [
      { name: "arg1", description: "First test argument", required: true },
      { name: "arg2", description: "Second test argument", required: true },
    ],
    get: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
    complete: (_, value) => ["paris", "park", "party"].filter((word) => word.startsWith(value)),
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "A resource and what to do with it",
    arguments: [{ name: "resourceUri", description: "URI of the resource to embed", required: true }],
    get: ({ resourceUri = "" }) => [
      {
        role: "user",
        content: {
          type: "resource",
          resource: { uri: resourceUri, mimeType: "text/plain", text: "Embedded resource content for testing." },
        },
      },
      { role: "user", content: { type: "text", text: "Please process the embedded resource above." } },
    ],
  },
  {
    name: "test_prompt_with_image",
    description: "An image and what to do with it",
    get: () => [
      { role: "user", content: { type: "image", data: PIXEL, mimeType: "image/png" } },
      { role: "user", content: { type: "text", text: "Please analyze the image above." } },
    ],
  },
  {
    name: "test_input_required_result_prompt",
    description: "Asks before it is made",
    async get(_, context) {
      const asked = askFor("What context should the prompt use?", "context");
      return `Context: ${JSON.stringify(await clientOf(context).ask("user_context", "elicitation/create", asked))}`;
    },
  },
];

const SKILLS: readonly Skill[] = [
  {
    name: "proofreading",
    description: "Finds mistakes in a text. Use it before a text is sent.",
    read: () => "# Proofreading\n\nRead the text twice, then see references/marks.md.\n",
    list: () => ["references/marks.md"],
    readFile: () => "# Marks\n\nA line through a word means: leave it out.\n",
  },
];

/**
 * Everything that the official conformance suite asks of a server, as a plugin like any other, so that it meets our whole
 * pipeline. The two tools that change lists need the runtime whose lists they are.
 */
export function createFixturePlugin(runtime: Pick<Runtime, "tools" | "prompts">): Plugin {
  const trigger = (name: string, change: () => Disposable) => {
    let changed: Disposable | undefined;
    return defineTool({
      name,
      description: "Adds something to a list, or takes it away again",
      input: { type: "object", properties: {} },
      approval: "preApproved",
      execute() {
        changed?.[Symbol.dispose]();
        changed = changed ? undefined : change();
        return "The list has changed";
      },
    });
  };
  const added = FIXTURE_TOOLS[0]!;
  return definePlugin({
    name: "conformance",
    version: "1.0.0",
    description: "What the official conformance suite asks of a server",
    tools: [
      ...FIXTURE_TOOLS,
      ...FIXTURE_QUESTIONS,
      ...FIXTURE_TASKS,
      trigger("test_trigger_tool_change", () => runtime.tools.register({ ...added, name: "added_meanwhile" })),
      trigger("test_trigger_prompt_change", () =>
        runtime.prompts.register({ ...PROMPTS[0]!, name: "added_meanwhile" }),
      ),
    ],
    prompts: PROMPTS,
    resources: RESOURCES,
    skills: SKILLS,
  });
}
