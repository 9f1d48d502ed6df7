import { type Indexed, TextIndex } from "../core/text-index.ts";
import type { ToolView } from "../core/tool-view.ts";
import { alike, wordsAsked, wordsOf } from "../core/words.ts";

/** Finds tools by what somebody wants to do. */
export interface ToolIndex {
  /** The names of the tools that fit, the best first, at most so many. */
  search(question: string, most: number): string[];
}

type Searched = Pick<ToolView, "name" | "description" | "source" | "inputSchema">;

/** How many times a tool counts whose source is named in the question. */
const NAMED = 4;
/** How much more one counts of whose name every word was asked for: it does that, and nothing else. */
const WHOLE_NAME = 1.5;
/** How much each part of a definition tells about what a tool is for. */
const WEIGHTS = { name: 3, summary: 1.5, description: 0.6, inputs: 0.4, inputDescriptions: 0.15 };

/** Makes tools searchable: by the words of their definitions, by their names, and by where they come from. */
export function toolIndex(tools: readonly Searched[]): ToolIndex {
  const known = new Map(tools.map((tool) => [tool.name, toKnown(tool)]));
  const sources = new Set([...known.values()].flatMap(({ source }) => source));
  const index = new TextIndex(
    // Where a tool comes from says nothing about what it does.
    tools.map((tool) => ({ key: tool.name, texts: textsOf(tool), without: known.get(tool.name)!.source })),
  );
  return {
    search(question, most) {
      const asked = wordsAsked(question);
      const named = new Set(asked.filter((word) => sources.has(word)));
      const meant = new Set(asked.flatMap((word) => [word, ...alike(word)]));
      return index.search(question, most, (key) => {
        const { source, name } = known.get(key)!;
        const share = name.filter((word) => meant.has(word)).length / Math.max(1, name.length);
        return (source.some((word) => named.has(word)) ? NAMED : 1) * (1 + WHOLE_NAME * share);
      });
    },
  };
}

/** The words of a tool's source, and those of its name besides them. */
function toKnown({ name, source: { plugin, id } }: Searched) {
  const source = wordsOf(plugin ?? id);
  return { source, name: wordsOf(withoutSource(name)).filter((word) => !source.includes(word)) };
}

function textsOf({ name, description, inputSchema }: Searched): Indexed["texts"] {
  const end = /[.!?](?=\s|$)|\n/.exec(description)?.index ?? description.length;
  const { properties } = Object(inputSchema) as { readonly properties?: unknown };
  const inputs = Object.entries(Object(properties) as Record<string, unknown>);
  const described = inputs.map(([, input]) => (Object(input) as { readonly description?: unknown }).description);
  return [
    { text: withoutSource(name), weight: WEIGHTS.name },
    { text: description.slice(0, end), weight: WEIGHTS.summary },
    { text: description.slice(end), weight: WEIGHTS.description },
    { text: inputs.map(([key]) => key).join(" "), weight: WEIGHTS.inputs },
    { text: described.filter((text) => typeof text === "string").join(" "), weight: WEIGHTS.inputDescriptions },
  ];
}

function withoutSource(name: string): string {
  const at = name.indexOf("__");
  return at < 0 ? name : name.slice(at + 2);
}
