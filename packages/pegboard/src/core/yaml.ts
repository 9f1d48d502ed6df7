import {
  Composer,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  Lexer,
  LineCounter,
  parseDocument,
  Parser,
  visit,
  YAMLParseError,
  type YAMLError,
  type YAMLMap,
} from "yaml";
import { messageOf } from "./error.ts";
import type { Diagnostic } from "./diagnostic.ts";

// For code that edits texts: the library has its home here.
export { type Document, isMap, isScalar, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from "yaml";

/** A YAML (or JSON) text: its value, what is wrong with it, and where in it things stand. */
export interface YamlFile {
  /** Undefined when the text cannot be read as a whole. */
  readonly value: unknown;
  /**
   * Each is an error: `yaml_syntax` for what is no YAML, `yaml_refused` for what is not read from anybody: unknown tags,
   * too deep a nesting, aliases that multiply or lead back to themselves.
   */
  readonly diagnostics: readonly Diagnostic[];
  /** The line and column of what a JSON pointer names, or of the nearest thing around it. */
  at(pointer: string): { readonly line: number; readonly column: number };
}

const MAX_DEPTH = 256;
const MAX_ALIASES = 100;
/** Nobody reads more, and a hostile text has as many as characters. */
const MAX_FAULTS = 20;

/**
 * Reads YAML with positions. Any fault of the text, also a warning, leaves no value: half a file must not pass for all of
 * it. The time is linear in the length of the text, whatever it holds.
 */
export function parseYaml(text: string, file: string, { depth = MAX_DEPTH }: { depth?: number } = {}): YamlFile {
  const lines = new LineCounter();
  const at = (offset: number) => ({ line: lines.linePos(offset).line, column: lines.linePos(offset).col });
  const refuse = (message: string, offset: number): Diagnostic => ({
    severity: "error",
    code: "yaml_refused",
    message,
    file,
    ...at(offset),
  });
  const document = compose(text, lines, depth);
  if (typeof document === "number")
    return { value: undefined, diagnostics: [refuse(`nested deeper than ${depth} levels`, document)], at: () => at(0) };

  const faults = [...document.errors, ...document.warnings];
  if (faults.length === 0) faults.push(...structureFaults(document));
  const diagnostics = faults.slice(0, MAX_FAULTS).map((fault) => toDiagnostic(fault, file, lines));
  let value: unknown;
  if (faults.length === 0) {
    try {
      value = document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown;
    } catch (error) {
      diagnostics.push(refuse(messageOf(error), 0));
    }
  }
  return { value, diagnostics, at: (pointer) => position(document, lines, pointer) };
}

/** The text with an item added at the end of a list at this place; comments and order stay. Throws on a broken text. */
export function appendToList(text: string, path: readonly string[], item: unknown): string {
  const document = parseDocument(text);
  if (document.errors[0]) throw document.errors[0];
  if ((document.getIn(path) ?? null) === null) document.setIn(path, document.createNode([]));
  document.addIn(path, document.createNode(item));
  return document.toString({ lineWidth: 0 });
}

/** The document, or where in the text the nesting goes too deep: what is nested is composed recursively. */
function compose(text: string, lines: LineCounter, depth: number): Document | number {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let tooDeep: number | undefined;

  function* tokens() {
    for (const lexeme of new Lexer().lex(text)) {
      yield* parser.next(lexeme);
      // The document itself and the scalar that is being read are on the stack too.
      if (parser.stack.length <= depth + 2) continue;
      tooDeep = parser.offset;
      return;
    }
    yield* parser.end();
  }

  // The library compares every key with every other one, and writes out keys that are no texts again and again.
  const composer = new Composer({ prettyErrors: false, uniqueKeys: false, stringKeys: true });
  let first: Document | undefined;
  for (const document of composer.compose(tokens(), true, text.length)) {
    if (first) {
      const at: [number, number] = [document.range[0], document.range[1]];
      first.errors.push(new YAMLParseError(at, "MULTIPLE_DOCS", "There is more than one document here"));
      break;
    }
    first = document as Document;
  }
  return tooDeep ?? first!;
}

/** Keys that are there twice, and aliases that cannot be followed. */
function structureFaults(document: Document): YAMLError[] {
  const faults: YAMLError[] = [];
  const anchors = new Map<string, unknown>();
  let aliases = 0;
  const add = (node: { range?: readonly number[] | null }, code: YAMLError["code"], message: string) => {
    const start = node.range?.[0] ?? 0;
    faults.push(new YAMLParseError([start, node.range?.[1] ?? start], code, message));
  };
  visit(document, {
    Node(_, node, path) {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.set(node.anchor, node);
        if (isMap(node)) for (const key of repeatedKeys(node)) add(key, "DUPLICATE_KEY", "Map keys must be unique");
        return undefined;
      }
      const target = anchors.get(node.source);
      if (target === undefined) add(node, "BAD_ALIAS", `There is no anchor &${node.source} before this alias`);
      else if (path.includes(target as Document))
        add(node, LOOP, `The alias *${node.source} is inside of what it names`);
      else if (++aliases > MAX_ALIASES) add(node, LOOP, `There are more than ${MAX_ALIASES} aliases`);
      return aliases > MAX_ALIASES ? visit.BREAK : undefined;
    },
  });
  return faults;
}

function repeatedKeys(map: YAMLMap): { range?: readonly number[] | null }[] {
  const seen = new Set<unknown>();
  return map.items.flatMap(({ key }) => {
    if (!isNode(key)) return [];
    const value = isScalar(key) ? key.value : key;
    if (seen.has(value)) return [key];
    seen.add(value);
    return [];
  });
}

const LOOP = "RESOURCE_EXHAUSTION";
const REFUSED: readonly string[] = [LOOP, "TAG_RESOLVE_FAILED"];

function toDiagnostic({ code, message, pos }: YAMLError, file: string, lines: LineCounter): Diagnostic {
  const { line, col } = lines.linePos(pos[0]);
  const word = REFUSED.includes(code) ? "yaml_refused" : "yaml_syntax";
  return { severity: "error", code: word, message, file, line, column: col };
}

function position(document: Document, lines: LineCounter, pointer: string): { line: number; column: number } {
  const path = pointer
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
  for (let length = path.length; length >= 0; length--) {
    const start = startOf(document, path.slice(0, length));
    if (start === undefined) continue;
    const { line, col } = lines.linePos(start);
    return { line, column: col };
  }
  return { line: 1, column: 1 };
}

// The key is where a person looks, so a pair's position is its key's.
function startOf(document: Document, path: readonly string[]): number | undefined {
  const last = path.at(-1);
  const parent = path.length < 2 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (last !== undefined && isCollection(parent)) {
    for (const item of parent.items as readonly { key?: { value?: unknown; range?: readonly number[] } }[]) {
      if (item?.key && String(item.key.value) === last) return item.key.range?.[0];
    }
  }
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  return (node as { range?: readonly number[] } | undefined)?.range?.[0];
}
