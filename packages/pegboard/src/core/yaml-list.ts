import { canonicalJson } from "./json.ts";
import { type Document, isMap, isScalar, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from "./yaml.ts";

/** Where a list stands: the keys that lead to it. */
type Path = readonly string[];

/**
 * The text with one more text in the list at this place; the same when it is there. Nothing else of the text is another: not
 * its comments, nor how it is written. Throws on a broken text.
 */
export function addToList(text: string, path: Path, item: string): string {
  const document = read(text);
  if (indexIn(document, path, item) >= 0) return text;
  const found = insert(text, document, path, scalar(item));
  if ((document.getIn(path) ?? null) === null) document.setIn(path, document.createNode([]));
  document.addIn(path, item);
  return proven(found, document);
}

/** The text without a text of the list at this place; a list or map that is empty then goes too. The rest stays as it is. */
export function removeFromList(text: string, path: Path, item: string): string {
  const document = read(text);
  const index = indexIn(document, path, item);
  if (index < 0) return text;
  const found = cut(text, document, path, index);
  document.deleteIn([...path, index]);
  for (let length = path.length; length > 0; length--) {
    const around = document.getIn(path.slice(0, length)) as YAMLMap | YAMLSeq;
    if (around.items.length > 0) break;
    document.deleteIn(path.slice(0, length));
  }
  return proven(found, document);
}

function read(text: string): Document {
  const document = parseDocument(text);
  if (document.errors[0]) throw document.errors[0];
  return document;
}

function indexIn(document: Document, path: Path, item: string): number {
  const list = document.getIn(path);
  return isSeq(list) ? list.items.findIndex((one) => isScalar(one) && one.value === item) : -1;
}

/** The changed text, if it says what it should; whatever was not foreseen is written anew as a whole. */
function proven(text: string | undefined, wanted: Document): string {
  const isRight = text !== undefined && canonicalJson(valueOf(text)) === canonicalJson(wanted.toJS() ?? {});
  return isRight ? text : wanted.toString({ lineWidth: 0 });
}

function valueOf(text: string): unknown {
  const document = parseDocument(text);
  return document.errors[0] ? undefined : (document.toJS() ?? {});
}

function insert(text: string, document: Document, path: Path, item: string): string | undefined {
  const list = document.getIn(path);
  if (isSeq(list)) {
    const end = (list.items.at(-1) as Ranged | undefined)?.range?.[1];
    if (!list.range) return undefined;
    if (end === undefined) return `${text.slice(0, list.range[0])}[${item}]${text.slice(list.range[1])}`;
    if (list.flow) return `${text.slice(0, end)}, ${item}${text.slice(end)}`;
    const dash = text.slice(lineStart(text, end)).match(/^\s*/)![0];
    return insertLine(text, end, `${dash}- ${item}`);
  }
  const depth = path.findIndex((_, index) => !document.hasIn(path.slice(0, index + 1)));
  const around = depth <= 0 ? document.contents : document.getIn(path.slice(0, depth));
  if (depth < 0 || (around !== null && (!isMap(around) || around.flow))) return undefined;
  const last = around?.items.at(-1) as { key?: Ranged; value?: Ranged | null } | undefined;
  const column = last?.key?.range ? last.key.range[0] - lineStart(text, last.key.range[0]) : 0;
  const keys = path.slice(depth).map((key, index) => `${" ".repeat(column + index * 2)}${scalar(key)}:`);
  const lines = [...keys, `${" ".repeat(column + keys.length * 2)}- ${item}`].join("\n");
  if (depth === 0) return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${lines}\n`;
  const end = last?.value?.range?.[1];
  return end === undefined ? undefined : insertLine(text, end, lines);
}

function cut(text: string, document: Document, path: Path, index: number): string | undefined {
  const list = document.getIn(path) as YAMLSeq;
  const { range } = list.items[index] as Ranged;
  if (!range || !list.range) return undefined;
  if (list.items.length > 1 && !list.flow) return cutLines(text, range[0], range[1]);
  if (list.items.length > 1) {
    const items = list.items.filter((_, at) => at !== index) as Ranged[];
    const kept = items.map((one) => text.slice(one.range![0], one.range![1])).join(", ");
    return `${text.slice(0, list.range[0])}[${kept}]${text.slice(list.range[1])}`;
  }
  // The outermost of what holds nothing else.
  let length = path.length;
  const holder = () => (length === 1 ? document.contents : document.getIn(path.slice(0, length - 1))) as YAMLMap;
  while (length > 1 && holder().items.length === 1) length--;
  const pair = holder().items.find(({ key }) => isScalar(key) && key.value === path[length - 1]);
  const start = (pair?.key as Ranged | undefined)?.range?.[0];
  return start === undefined || holder().flow ? undefined : cutLines(text, start, list.range[1]);
}

interface Ranged {
  readonly range?: readonly [start: number, end: number, after: number] | null;
}

const lineStart = (text: string, at: number) => text.lastIndexOf("\n", at - 1) + 1;

/** The end of the line on which something ends; what ends with a line end ends on that line. */
function lineEnd(text: string, at: number): number {
  if (text[at - 1] === "\n") return at;
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}

function insertLine(text: string, at: number, line: string): string {
  const end = lineEnd(text, at);
  const before = text.slice(0, end);
  return `${before}${before.endsWith("\n") ? "" : "\n"}${line}\n${text.slice(end)}`;
}

function cutLines(text: string, from: number, to: number): string {
  return `${text.slice(0, lineStart(text, from))}${text.slice(lineEnd(text, to))}`;
}

const RESERVED = ["true", "false", "null"];

function scalar(text: string): string {
  const isPlain = /^[A-Za-z][\w-]*$/.test(text) && !RESERVED.includes(text.toLowerCase());
  return isPlain ? text : JSON.stringify(text);
}
