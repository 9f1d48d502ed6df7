import type { Usage } from "../core/model.ts";
import { KNOWN_MODELS } from "./known-models.ts";
import type { Price } from "./price.ts";

const FREE = ["ollama", "lmstudio", "scripted"];

/** What follows the name of a model in that of a version of it: a date, a number, or a word such as `preview`. */
const VERSION = /^(?:[-@](?:latest|preview|exp|\d{2,}))*$/;

/**
 * What the tokens of a turn cost in US dollars, by the operator's prices before those that are known. What runs on this
 * machine costs nothing; undefined when there is no price.
 */
export function costOf(model: string, usage: Usage, prices: Readonly<Record<string, Price>> = {}): number | undefined {
  const price = find(model, prices) ?? find(model, KNOWN_MODELS);
  if (!price) return FREE.includes(model.slice(0, model.indexOf(":"))) ? 0 : undefined;
  const { input, output, cached = 0, written = 0 } = usage;
  const rates = price.over && input > price.over.tokens ? price.over : price;
  const fresh = Math.max(0, input - cached - written);
  const micro =
    fresh * rates.input +
    cached * (rates.cached ?? rates.input) +
    written * (rates.written ?? rates.input) +
    output * rates.output;
  return micro / 1_000_000;
}

/** How many tokens a request to the model may hold, where that is known. */
export function contextTokensOf(model: string): number | undefined {
  return find(model, KNOWN_MODELS)?.context;
}

/** The entry of a model: its own, else the longest that it is a version of. */
function find<T>(model: string, entries: Readonly<Record<string, T>>): T | undefined {
  if (Object.hasOwn(entries, model)) return entries[model];
  // The same models at the same price, by another way.
  const id = model.replace(/^openai-chat:/, "openai:");
  const fitting = Object.keys(entries).filter((name) => id.startsWith(name) && VERSION.test(id.slice(name.length)));
  const longest = fitting.sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? undefined : entries[longest];
}
