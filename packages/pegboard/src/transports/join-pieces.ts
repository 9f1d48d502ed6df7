import type { Event } from "../core/event.ts";

/** What is joined is no longer than this, in characters. */
const LONGEST = 16 * 1024;

/** Two pieces of one answer as one piece; undefined when they are not, or it would be long. */
export function joinPieces(last: Event | undefined, next: Event): Event | undefined {
  if (last?.type !== "model-delta" || next.type !== "model-delta" || last.run !== next.run) return undefined;
  const [one, other] = [last.data, next.data];
  const words = other.text === undefined ? "reasoning" : "text";
  const joined = [one[words], other[words]];
  const isAlone = [one, other].every(({ text, reasoning }) => (text === undefined) !== (reasoning === undefined));
  if (one.turn !== other.turn || !isAlone || joined.includes(undefined)) return undefined;
  const text = joined.join("");
  return text.length > LONGEST ? undefined : { ...next, data: { turn: next.data.turn, [words]: text } };
}
