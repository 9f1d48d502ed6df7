import { defineTool, fail } from "@pegboard/contract";
import { askFor, clientOf, pause } from "./fixture-tools.ts";

const AT_ONCE = { approval: "preApproved", input: { type: "object", properties: {} } } as const;

/** The tools of the official suite that let their client go, and one that does not. */
export const FIXTURE_TASKS = [
  defineTool({
    name: "greet",
    description: "Greets at once",
    input: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    approval: "preApproved",
    execute: ({ name }) => `Hello, ${name}!`,
  }),
  defineTool({
    name: "slow_compute",
    description: "Takes as many seconds as it is told",
    input: { type: "object", properties: { seconds: { type: "number" }, label: { type: "string" } } },
    approval: "preApproved",
    async execute({ seconds = 0, label = "it" }, context) {
      clientOf(context).detach();
      await pause(seconds * 1000, context.signal);
      return `Computed ${label}`;
    },
  }),
  defineTool({
    ...AT_ONCE,
    name: "failing_job",
    description: "Fails after a while, and is for clients that can come back only",
    async execute(_, context) {
      clientOf(context).detach({ required: true });
      await pause(1_000, context.signal);
      throw new Error("The job failed");
    },
  }),
  defineTool({
    ...AT_ONCE,
    name: "protocol_error_job",
    description: "Comes to no result at all",
    execute(_, context) {
      clientOf(context).detach();
      return fail("internal", "There is a defect");
    },
  }),
  defineTool({
    name: "confirm_delete",
    description: "Asks before it deletes",
    input: { type: "object", properties: { filename: { type: "string" } } },
    approval: "preApproved",
    async execute({ filename = "the file" }, context) {
      const client = clientOf(context);
      client.detach();
      const asked = askFor(`Delete ${filename}?`, "confirm", "boolean");
      return `Answered: ${JSON.stringify(await client.ask("confirm", "elicitation/create", asked))}`;
    },
  }),
  defineTool({
    ...AT_ONCE,
    name: "multi_input",
    description: "Asks for two things at once",
    async execute(_, context) {
      const client = clientOf(context);
      client.detach();
      const answers = await Promise.all([
        client.ask("name", "elicitation/create", askFor("What is your name?", "name")),
        client.ask("age", "elicitation/create", askFor("How old are you?", "age", "integer")),
      ]);
      return JSON.stringify(answers);
    },
  }),
  defineTool({
    ...AT_ONCE,
    name: "test_tool_with_task",
    description: "Asks first, and then lets its client go",
    async execute(_, context) {
      const client = clientOf(context);
      const answer = await client.ask("user_name", "elicitation/create", askFor("What is your name?", "name"));
      client.detach({ required: true });
      await pause(100, context.signal);
      return `Done for ${JSON.stringify(answer)}`;
    },
  }),
];
