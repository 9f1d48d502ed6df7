import type { Message, ModelRequest, UserPart } from "../core/model.ts";
import { userMessage } from "./transcript.ts";

/** How full a conversation may get before it is shortened, and how much of its end then stays as it is. */
const FULL = 0.8;
const KEPT = 0.4;
const FILE_TOKENS = 1_500;

/** How many tokens messages take, about: providers count each their own way. */
export function estimateTokens(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + tokensOf(message), 0);
}

/** Whether a conversation is to be shortened before the model is asked again. */
export function isFull(tokens: number, contextTokens: number): boolean {
  return tokens > contextTokens * FULL;
}

/** How many messages at the beginning a summary is to stand for. A call and its result are never parted. */
export function countOld(messages: readonly Message[], contextTokens: number): number {
  const most = contextTokens * KEPT;
  let kept = 0;
  let from = messages.length;
  while (from > 0 && kept + tokensOf(messages[from - 1]!) <= most) kept += tokensOf(messages[--from]!);
  // The last exchange stays, whatever its size.
  from = Math.min(from, messages.length - 1);
  while (from > 0 && messages[from]!.role === "tool") from--;
  // A summary of one message is worth it only for a big one.
  return from === 1 && tokensOf(messages[0]!) <= most ? 0 : from;
}

/** What a model is asked for a summary. */
export function summaryRequest(old: readonly Message[]): ModelRequest {
  return {
    system:
      "You summarise the conversation of an agent so that the agent can go on from your summary alone. Keep the task, what was decided and why, what was done, names, paths, numbers and identifiers, and what is still open. Write notes, not prose.",
    messages: [userMessage(old.map(toText).join("\n\n"))],
    tools: [],
  };
}

/** What stands for the old messages; without a summary, that they are gone. */
export function summaryMessage(old: readonly Message[], summary: string | undefined): Message {
  const task = old.find(({ role }) => role === "user");
  // Files come first, as text too: what was asked comes last.
  const asked = task?.role === "user" ? task.content.findLast((part) => part.type === "text") : undefined;
  return userMessage(
    summary === undefined
      ? `[${old.length} earlier messages were left out. The conversation began with:]\n${asked?.type === "text" ? asked.text.slice(0, 8_000).toWellFormed() : ""}`
      : `[Summary of ${old.length} earlier messages]\n${summary}`,
  );
}

function tokensOf(message: Message): number {
  switch (message.role) {
    case "user":
      return message.content.reduce((sum, part) => sum + userTokens(part), 4);
    case "assistant":
      return message.content.reduce(
        (sum, part) =>
          sum + (part.type === "call" ? JSON.stringify(part.input).length + part.tool.length : part.text.length) / 4,
        4,
      );
    case "tool":
      return message.results.reduce(
        (sum, { content }) =>
          sum +
          content.reduce((inner, block) => inner + (block.type === "text" ? block.text.length / 4 : FILE_TOKENS), 8),
        0,
      );
  }
}

function userTokens(part: UserPart): number {
  return part.type === "text" ? part.text.length / 4 : FILE_TOKENS;
}

function toText(message: Message): string {
  switch (message.role) {
    case "user":
      return `USER: ${message.content.map((part) => (part.type === "text" ? part.text : `[file ${part.name ?? part.mimeType}]`)).join("\n")}`;
    case "assistant":
      return `AGENT: ${message.content.map((part) => (part.type === "call" ? `[calls ${part.tool} ${JSON.stringify(part.input)}]` : part.type === "text" ? part.text : "")).join("\n")}`;
    case "tool":
      return message.results
        .map(
          ({ tool, ok, content }) =>
            `RESULT of ${tool}${ok ? "" : " (failed)"}: ${content.map((block) => (block.type === "text" ? block.text.slice(0, 2_000) : `[${block.type}]`)).join("\n")}`,
        )
        .join("\n");
  }
}
