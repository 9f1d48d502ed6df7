import type { Registration } from "../core/registry.ts";

/** Something odd about what a tool says of itself. */
export interface DefinitionWarning {
  readonly code: "hidden_characters" | "suspicious_text" | "schema_not_enforced";
  readonly message: string;
  readonly fix?: string;
}

/**
 * What a person should look at before a model reads a tool's definition: characters that cannot be seen, text that talks
 * to the model behind the person's back, and what of the schemas is not checked. Reads every text of the schemas too.
 */
export function lintDefinition({ name, tool, input, output }: Registration): DefinitionWarning[] {
  const places = [
    ...textsIn(tool.description, "description"),
    ...textsIn(input.json, "input schema"),
    ...(output ? textsIn(output.json, "output schema") : []),
  ];
  const unchecked = [...input.warnings, ...(output?.warnings ?? [])];
  return [
    ...places.flatMap(({ place, text }) => [
      ...hiddenCharacters(name, place, text),
      ...suspiciousText(name, place, text),
    ]),
    ...unchecked.map((warning): DefinitionWarning => ({ code: "schema_not_enforced", message: `${name}: ${warning}` })),
  ];
}

interface Place {
  readonly place: string;
  readonly text: string;
}

// Names of properties are read by a model like any other text.
function textsIn(value: unknown, place: string): Place[] {
  if (typeof value === "string") return [{ place, text: value }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const inner = `${place}/${key}`;
    return [...(Array.isArray(value) ? [] : [{ place: inner, text: key }]), ...textsIn(member, inner)];
  });
}

// Controls, formats (zero-width, bidirectional, tags), private and lone surrogates, blanks that
// are letters by name, and variation selectors, which can carry bytes.
const HIDDEN =
  /(?![\n\r\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029\u115f\u1160\u2800\u3164\uffa0]|[\u{e0100}-\u{e01ef}]/gu;

function hiddenCharacters(name: string, place: string, text: string): DefinitionWarning[] {
  const found = [...new Set(text.match(HIDDEN))].map(
    (character) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`,
  );
  if (found.length === 0) return [];
  const listed = found.slice(0, 5).join(", ") + (found.length > 5 ? `, and ${found.length - 5} more` : "");
  return [
    {
      code: "hidden_characters",
      message: `${name}: the ${place} holds characters that cannot be seen: ${listed}`,
      fix: "remove them, or do not use this tool",
    },
  ];
}

const SUSPICIOUS: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  {
    what: "a tag that addresses the model",
    pattern: /<\/?\s*(important|system|instructions?|secret|assistant|admin|hidden)\b[^>]{0,100}>/i,
  },
  {
    what: "a request to keep something from the user",
    pattern:
      /\b(do not|don't|never|without)\b.{0,30}\b(tell|telling|inform|informing|mention|mentioning|show|showing|notify|notifying|alert|alerting)\b.{0,40}\b(user|person|human|anyone)\b/i,
  },
  {
    what: "a request to ignore instructions",
    pattern:
      /\b(ignore|disregard|forget|override)\b.{0,40}\b(previous|prior|above|earlier|other|all)\b.{0,20}\b(instructions?|rules|prompts?|messages)\b/i,
  },
  {
    what: "the name of a file that holds secrets",
    pattern: /\bid_(rsa|ed25519|ecdsa)\b|(^|[\s"'`/~(])\.(env|ssh|aws|gnupg|netrc|npmrc)\b|\/etc\/(passwd|shadow)\b/i,
  },
];

function suspiciousText(name: string, place: string, text: string): DefinitionWarning[] {
  const plain = text.replaceAll(HIDDEN, "").replaceAll(/\s+/g, " ");
  return SUSPICIOUS.filter(({ pattern }) => pattern.test(plain)).map(({ what }) => ({
    code: "suspicious_text",
    message: `${name}: the ${place} holds ${what}`,
    fix: "read it before you allow the tool",
  }));
}
