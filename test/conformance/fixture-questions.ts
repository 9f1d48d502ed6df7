import { defineTool, type Json } from "@pegboard/contract";
import { askFor, clientOf } from "./fixture-tools.ts";

const AT_ONCE = { approval: "preApproved", input: { type: "object", properties: {} } } as const;

const NAME = askFor("What is your name?", "name");

function sampling(said: string, maxTokens: number): Json {
  return { messages: [{ role: "user", content: { type: "text", text: said } }], maxTokens };
}

/** What a person filled in under a name. */
function filledIn(answer: Json, field: string): Json | undefined {
  return (Object(answer) as { content?: Record<string, Json> }).content?.[field];
}

function textIn(answer: Json): string {
  return (Object(answer) as { content?: { text?: string } }).content?.text ?? "";
}

/** The tools of the official suite that ask their client something, in either era. */
export const FIXTURE_QUESTIONS = [
  defineTool({
    name: "test_sampling",
    description: "Asks the client's model",
    input: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
    approval: "preApproved",
    async execute({ prompt }, context) {
      const answer = await clientOf(context).ask("sample", "sampling/createMessage", sampling(prompt, 100));
      return `LLM response: ${textIn(answer)}`;
    },
  }),
  defineTool({
    name: "test_elicitation",
    description: "Asks the person at the client",
    input: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
    approval: "preApproved",
    async execute({ message }, context) {
      const answer = await clientOf(context).ask("user", "elicitation/create", {
        message,
        requestedSchema: {
          type: "object",
          properties: {
            username: { type: "string", description: "User's response" },
            email: { type: "string", description: "User's email address" },
          },
          required: ["username", "email"],
        },
      });
      return `User response: ${JSON.stringify(answer)}`;
    },
  }),
  defineTool({
    ...AT_ONCE,
    name: "test_elicitation_sep1034_defaults",
    description: "Asks with defaults of every kind",
    async execute(_, context) {
      const answer = await clientOf(context).ask("defaults", "elicitation/create", {
        message: "Please review what is filled in already",
        requestedSchema: {
          type: "object",
          properties: {
            name: { type: "string", default: "John Doe" },
            age: { type: "integer", default: 30 },
            score: { type: "number", default: 95.5 },
            status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
            verified: { type: "boolean", default: true },
          },
        },
      });
      return `Elicitation completed: ${JSON.stringify(answer)}`;
    },
  }),
  defineTool({
    ...AT_ONCE,
    name: "test_elicitation_sep1330_enums",
    description: "Asks with choices of every kind",
    async execute(_, context) {
      const options = ["option1", "option2", "option3"];
      const titled = ["First", "Second", "Third"].map((title, at) => ({
        const: `value${at + 1}`,
        title: `${title} Option`,
      }));
      const answer = await clientOf(context).ask("choices", "elicitation/create", {
        message: "Please choose",
        requestedSchema: {
          type: "object",
          properties: {
            untitledSingle: { type: "string", enum: options },
            titledSingle: { type: "string", oneOf: titled },
            legacyEnum: {
              type: "string",
              enum: ["opt1", "opt2", "opt3"],
              enumNames: ["Option One", "Option Two", "Option Three"],
            },
            untitledMulti: { type: "array", items: { type: "string", enum: options } },
            titledMulti: { type: "array", items: { anyOf: titled } },
          },
        },
      });
      return `Elicitation completed: ${JSON.stringify(answer)}`;
    },
  }),
  defineTool({
    ...AT_ONCE,
    name: "test_streaming_elicitation",
    description: "Reports, then asks",
    async execute(_, context) {
      context.progress("About to ask");
      const answer = await clientOf(context).ask("user_name", "elicitation/create", NAME);
      return `Hello, ${String(filledIn(answer, "name"))}!`;
    },
  }),
  defineTool({
    ...AT_ONCE,
    name: "test_missing_capability",
    description: "Needs a client whose model can be asked",
    execute: (_, context) => clientOf(context).ask("sample", "sampling/createMessage", sampling("Hello", 10)),
  }),
  ...["elicitation", "tampered_state", "request_state"].map((ending) =>
    defineTool({
      ...AT_ONCE,
      name: `test_input_required_result_${ending}`,
      description: "Asks for a name, or for a yes",
      async execute(_, context) {
        if (ending === "elicitation")
          return `Hello, ${String(filledIn(await clientOf(context).ask("user_name", "elicitation/create", NAME), "name"))}!`;
        await clientOf(context).ask("confirm", "elicitation/create", askFor("Please confirm", "ok", "boolean"));
        // It is here because the state that came back was the one that was handed out.
        return "state-ok";
      },
    }),
  ),
  defineTool({
    ...AT_ONCE,
    name: "test_input_required_result_sampling",
    description: "Asks the client's model for a capital",
    async execute(_, context) {
      const asked = sampling("What is the capital of France?", 100);
      return textIn(await clientOf(context).ask("capital_question", "sampling/createMessage", asked));
    },
  }),
  defineTool({
    ...AT_ONCE,
    name: "test_input_required_result_list_roots",
    description: "Asks for the folders of the client",
    execute: async (_, context) =>
      `Roots: ${JSON.stringify(await clientOf(context).ask("client_roots", "roots/list"))}`,
  }),
  defineTool({
    ...AT_ONCE,
    name: "test_input_required_result_multiple_inputs",
    description: "Asks for three things at once",
    async execute(_, context) {
      const client = clientOf(context);
      const answers = await Promise.all([
        client.ask("user_name", "elicitation/create", NAME),
        client.ask("greeting", "sampling/createMessage", sampling("Generate a greeting", 50)),
        client.ask("client_roots", "roots/list"),
      ]);
      return JSON.stringify(answers);
    },
  }),
  defineTool({
    ...AT_ONCE,
    name: "test_input_required_result_multi_round",
    description: "Asks one thing after the other",
    async execute(_, context) {
      const client = clientOf(context);
      const first = await client.ask("step1", "elicitation/create", askFor("Step 1: What is your name?", "name"));
      const asked = askFor("Step 2: What is your favorite color?", "color");
      const second = await client.ask("step2", "elicitation/create", asked);
      return `${String(filledIn(first, "name"))} likes ${String(filledIn(second, "color"))}`;
    },
  }),
  defineTool({
    ...AT_ONCE,
    name: "test_input_required_result_capabilities",
    description: "Asks only for what the client can answer",
    async execute(_, context) {
      const client = clientOf(context);
      const asking = client.methods.map((method) =>
        client.ask(
          method.replace("/", "_"),
          method,
          method === "elicitation/create" ? NAME : method === "roots/list" ? {} : sampling("Hello", 10),
        ),
      );
      return JSON.stringify(await Promise.all(asking));
    },
  }),
];
