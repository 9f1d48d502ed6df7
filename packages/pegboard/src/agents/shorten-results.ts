import type { Content } from "@pegboard/contract";
import type { Message } from "../core/model.ts";

const NOTE = "\n[cut here: the conversation is too long]";

/** The messages with every text in the results of tools cut to so many characters. Cutting again changes nothing. */
export function shortenResults(messages: readonly Message[], characters: number): Message[] {
  return messages.map((message) => {
    if (!isLonger(message, characters)) return message;
    const results = message.results.map((outcome) => ({
      ...outcome,
      content: outcome.content.map((block) => shorten(block, characters)),
    }));
    return { ...message, results };
  });
}

/** Whether there is anything to cut. */
export function canShorten(messages: readonly Message[], characters: number): boolean {
  return messages.some((message) => isLonger(message, characters));
}

function isLonger(message: Message, characters: number): message is Extract<Message, { role: "tool" }> {
  if (message.role !== "tool") return false;
  return message.results.some(({ content }) => content.some((block) => isTooLong(block, characters)));
}

function isTooLong(block: Content, characters: number): boolean {
  return block.type === "text" && block.text.length > characters + NOTE.length;
}

function shorten(block: Content, characters: number): Content {
  if (block.type !== "text" || !isTooLong(block, characters)) return block;
  return { ...block, text: `${block.text.slice(0, characters).toWellFormed()}${NOTE}` };
}
