import type { Content, Result } from "@pegboard/contract";
import { showFailure } from "./failure.ts";
import { type Terminal, visible, visibleLine } from "./terminal.ts";

/** Shows what a call yielded: its content on standard output, why it failed on standard error. */
export function showResult(result: Result, terminal: Terminal, json: boolean): void {
  if (json) terminal.print(JSON.stringify(result, null, 2));
  else showContent(result, terminal);
  if (result.error) showFailure(terminal, result.error);
  const { unrecorded } = result.meta;
  if (unrecorded !== undefined)
    terminal.warn(`warning: the outcome is not in the log: ${visibleLine(String(unrecorded))}`);
}

function showContent(result: Result, terminal: Terminal): void {
  const own = result.content.filter((block) => !isEcho(block, result));
  const text = own.length === 0 ? bareValue(result) : own.map(describeContent).join("\n");
  if (text === "") return;
  // A program gets the text as it is; a terminal would obey what is hidden in it.
  terminal.print((terminal.columns === undefined ? text : visible(text)).replace(/\n$/, ""));
}

// Models read the message of a failure, and a value without a text of its own, as text; people get them in another form.
function isEcho(block: Content, { structured, error }: Result): boolean {
  return block.type === "text" && (block.text === error?.message || block.text === JSON.stringify(structured));
}

function bareValue({ structured }: Result): string {
  return structured === undefined ? "" : JSON.stringify(structured, null, 2);
}

function describeContent(block: Content): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type} ${visibleLine(block.mimeType)}, ${describeSize(bytesOf(block.data))}]`;
    case "resource": {
      const { uri, mimeType = "text/plain", text, blob } = block.resource;
      const size = blob === undefined ? Buffer.byteLength(text ?? "") : bytesOf(blob);
      return visibleLine(`[resource ${uri} ${mimeType}, ${describeSize(size)}]`);
    }
    case "resource_link":
      return visibleLine(`[link ${block.name} ${block.uri}]`);
  }
}

function bytesOf(base64: string): number {
  return Buffer.byteLength(base64, "base64");
}

/** A number of bytes for people. */
export function describeSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
