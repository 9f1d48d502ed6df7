import { type Document, isCollection, LineCounter, parseDocument, type YAMLError } from "yaml";
import { messageOf } from "../core/error.ts";
import type { Diagnostic } from "../core/diagnostic.ts";

/** A YAML (or JSON) text: its value, what is wrong with it, and where in it things stand. */
export interface YamlFile {
  /** Undefined when the text cannot be read as a whole. */
  readonly value: unknown;
  readonly diagnostics: readonly Diagnostic[];
  /** The line and column of what a JSON pointer names, or of the nearest thing around it. */
  at(pointer: string): { readonly line: number; readonly column: number };
}

/** Reads YAML with positions. Any fault of the text, also a warning, leaves no value: half a file must not pass for all of it. */
export function parseYaml(text: string, file: string): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const faults = [...document.errors, ...document.warnings];
  const diagnostics = faults.map((fault) => toDiagnostic(fault, file, lines));
  let value: unknown;
  if (faults.length === 0) {
    try {
      value = document.toJS({ maxAliasCount: 100 }) as unknown;
    } catch (error) {
      diagnostics.push({ severity: "error", code: "yaml_syntax", message: messageOf(error), file });
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

function toDiagnostic({ message, pos }: YAMLError, file: string, lines: LineCounter): Diagnostic {
  const { line, col } = lines.linePos(pos[0]);
  return { severity: "error", code: "yaml_syntax", message, file, line, column: col };
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
