import { MARKS } from "./inline.ts";

/** How a tag is written. */
export type Kind =
  | "mark"
  | "link"
  | "image"
  | "break"
  | "rule"
  | "base"
  | "pre"
  | "frame"
  | "table"
  | "row"
  | "cell"
  | "paragraph"
  | "block";

const TAGS: Readonly<Partial<Record<Kind, string>>> = {
  link: "a",
  image: "img",
  break: "br",
  rule: "hr",
  base: "base",
  pre: "pre",
  frame: "ul ol li blockquote h1 h2 h3 h4 h5 h6",
  table: "table",
  row: "tr",
  cell: "td th",
  paragraph: "p dl",
  block:
    "address article aside body caption center dd details dialog div dt fieldset figcaption figure footer form header legend main menu nav option section summary",
};

/** How each tag is written; those that are not here are only what is in them. */
export const KINDS: ReadonlyMap<string, Kind> = new Map([
  ...Object.entries(TAGS).flatMap(([kind, tags]) => tags.split(" ").map((tag) => [tag, kind as Kind] as const)),
  ...Array.from(MARKS.keys(), (tag) => [tag, "mark"] as const),
]);
