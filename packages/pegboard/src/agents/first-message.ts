import type { Agent, Json } from "@pegboard/contract";
import { PegboardError } from "../core/error.ts";
import { copyJson } from "../core/json.ts";
import type { Message } from "../core/model.ts";
import type { RunOptions } from "../core/run.ts";
import { compileSchema, describeProblems } from "../core/schema.ts";
import { type ReadAttachment, toUserParts } from "./attachments.ts";

/** The message that a run begins with. Rejects with `invalid_input` when the agent does not take it. */
export async function toFirstMessage(
  agent: Agent,
  prompt: Json,
  { attachments = [], before = [] }: RunOptions,
  read: ReadAttachment | undefined,
): Promise<Message> {
  const text = await toPromptText(agent, prompt);
  const files = await toUserParts(attachments, agent.attachments, read);
  return { role: "user", content: [...before, ...files, { type: "text", text }] };
}

async function toPromptText({ name, input }: Agent, prompt: Json): Promise<string> {
  if (!input) return typeof prompt === "string" ? prompt : JSON.stringify(prompt);
  const value = typeof prompt === "string" ? parseJson(prompt) : copyJson(prompt);
  const checked = await compileSchema(input).check(value);
  if (checked.ok) return JSON.stringify(checked.value);
  throw new PegboardError(
    "invalid_input",
    `The input of agent "${name}" is not valid:\n${describeProblems(checked.problems)}`,
  );
}

// A text that is no JSON is what a schema for a text takes.
function parseJson(text: string): Json {
  try {
    return copyJson(JSON.parse(text));
  } catch {
    return text;
  }
}
