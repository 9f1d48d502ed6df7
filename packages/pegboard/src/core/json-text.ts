import type { Diagnostic } from "./diagnostic.ts";
import { messageOf } from "./error.ts";
import { pointerSegment } from "./json.ts";

/** A JSON text: its value, what is wrong with it, and where in it things stand. */
export interface JsonText {
  /** Undefined when the text cannot be read as a whole. */
  readonly value: unknown;
  /** Each is an error: `json_syntax` for what is no JSON, `duplicate_key` for what says two things at once. */
  readonly diagnostics: readonly Diagnostic[];
  /** The line and column of what a JSON pointer names, or of the nearest thing around it. */
  at(pointer: string): { readonly line: number; readonly column: number };
}

/** Nobody nests deeper, and a hostile text has as many levels as characters. */
const MAX_DEPTH = 256;

/** Reads plain JSON with positions. A key that is there twice leaves no value: others may read the other one. */
export function parseJsonText(text: string, file: string): JsonText {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const lineAt = (offset: number) => toPosition(source, offset);
  const refuse = (code: string, message: string, offset: number): Diagnostic => ({
    severity: "error",
    code,
    message,
    file,
    ...lineAt(offset),
  });
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    const message = messageOf(error).replaceAll(/\s+/g, " ");
    const offset = Number(/at position (\d+)/.exec(message)?.[1] ?? source.length);
    const diagnostics = [refuse("json_syntax", `this is not JSON: ${message}`, offset)];
    return { value: undefined, diagnostics, at: () => lineAt(0) };
  }
  const places = new Map<string, number>();
  const diagnostics: Diagnostic[] = [];
  const problem = scan(source, places, (pointer, key, offset) =>
    diagnostics.push(refuse("duplicate_key", `${pointer}: the key "${key}" is there twice; keep one of them`, offset)),
  );
  if (problem !== undefined)
    diagnostics.push(refuse("json_refused", `nested deeper than ${MAX_DEPTH} levels`, problem));
  return {
    value: diagnostics.length > 0 ? undefined : value,
    diagnostics,
    at(pointer) {
      for (let path = pointer; ; path = path.slice(0, path.lastIndexOf("/"))) {
        const offset = places.get(path);
        if (offset !== undefined || path === "") return lineAt(offset ?? 0);
      }
    },
  };
}

/** Notes where every value of a JSON text begins. The text is known to be JSON. Returns where it is nested too deep. */
function scan(
  text: string,
  places: Map<string, number>,
  twice: (pointer: string, key: string, offset: number) => void,
): number | undefined {
  interface Open {
    readonly pointer: string;
    readonly keys?: Set<string>;
    next: string;
  }
  const open: Open[] = [];
  const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
  let expectsKey = false;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const word = match[0];
    const around = open.at(-1);
    if (word === "}" || word === "]") {
      open.pop();
      expectsKey = false;
    } else if (word === ",") {
      expectsKey = around?.keys !== undefined;
      if (around && !around.keys) around.next = String(Number(around.next) + 1);
    } else if (word === ":") expectsKey = false;
    else if (expectsKey && around?.keys) {
      const key = JSON.parse(word) as string;
      if (around.keys.has(key)) twice(around.pointer, key, match.index);
      around.keys.add(key);
      around.next = key;
    } else {
      const pointer = around ? around.pointer + pointerSegment(around.next) : "";
      places.set(pointer, match.index);
      if (word !== "{" && word !== "[") continue;
      if (open.length >= MAX_DEPTH) return match.index;
      open.push(word === "{" ? { pointer, keys: new Set(), next: "" } : { pointer, next: "0" });
      expectsKey = word === "{";
    }
  }
  return undefined;
}

function toPosition(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  const start = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - start + 1 };
}
