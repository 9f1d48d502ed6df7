import type { AttachmentLimits } from "@pegboard/contract";
import { PegboardError } from "../core/error.ts";
import type { UserPart } from "../core/model.ts";
import type { Attachment } from "../core/run.ts";

/** Reads a file that the session may read, as base64. Rejects when it may not. */
export type ReadAttachment = (path: string, mostBytes: number) => Promise<string>;

const COUNT = 10;
const BYTES = 10 * 1024 * 1024;

const MIME_TYPES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".pdf": "application/pdf",
  ".txt": "text/plain",
  ".md": "text/markdown",
  ".csv": "text/csv",
  ".json": "application/json",
  ".yaml": "application/yaml",
  ".yml": "application/yaml",
  ".xml": "application/xml",
  ".html": "text/html",
};

/**
 * Attachments as parts of the first message: texts as text, everything else as a file. Throws `invalid_input` when there
 * are too many, they are too big or of a kind that the agent does not take, `denied` for a path where no files are given.
 */
export async function toUserParts(
  attachments: readonly Attachment[],
  limits: AttachmentLimits = {},
  read?: ReadAttachment,
): Promise<UserPart[]> {
  const { count = COUNT, bytes: most = BYTES, suffixes = Object.keys(MIME_TYPES) } = limits;
  if (attachments.length > count)
    throw refused(`${attachments.length} files are attached; the agent takes at most ${count}`);
  const parts: UserPart[] = [];
  let left = most;
  for (const attachment of attachments) {
    const name = "path" in attachment ? attachment.path : attachment.name;
    const suffix = suffixOf(name);
    if (!suffixes.some((one) => one.toLowerCase() === suffix))
      throw refused(`"${name}" is not of a kind that the agent takes: ${suffixes.join(", ")}`);
    const data = "path" in attachment ? await readInside(attachment.path, left, read) : attachment.data;
    left -= byteLength(data);
    if (left < 0) throw refused(`The attached files are more than ${most} bytes together, with "${name}"`);
    if (!isBase64(data)) throw refused(`The data of "${name}" is not base64${hint(data)}`);
    const mimeType = ("mimeType" in attachment ? attachment.mimeType : undefined) ?? MIME_TYPES[suffix] ?? "text/plain";
    parts.push(isText(mimeType) ? toTextPart(name, data) : { type: "file", mimeType, data, name });
  }
  return parts;
}

function readInside(path: string, left: number, read: ReadAttachment | undefined): Promise<string> {
  if (!read)
    throw new PegboardError(
      "denied",
      `"${path}" cannot be attached: no files are given to agents here. Configure the toolset filesystem, or attach its content`,
    );
  return read(path, left);
}

function byteLength(data: string): number {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return (data.length / 4) * 3 - padding;
}

const PIECE = 32 * 1024;

// Piece by piece: on a text of many megabytes the engine would run out of stack.
function isBase64(data: string): boolean {
  if (data.length % 4 !== 0) return false;
  const end = data.length - 4;
  for (let at = 0; at < end; at += PIECE)
    if (!/^[A-Za-z0-9+/]*$/.test(data.slice(at, Math.min(at + PIECE, end)))) return false;
  return data === "" || /^[A-Za-z0-9+/]{2}(?:[A-Za-z0-9+/]{2}|[A-Za-z0-9+/]=|==)$/.test(data.slice(end));
}

function hint(data: string): string {
  return data.startsWith("data:") ? ": of a data URL, pass what comes after the comma" : "";
}

function toTextPart(name: string, data: string): UserPart {
  const units = atob(data);
  const bytes = new Uint8Array(units.length);
  for (let at = 0; at < units.length; at++) bytes[at] = units.charCodeAt(at);
  return { type: "text", text: `<file name=${JSON.stringify(name)}>\n${new TextDecoder().decode(bytes)}\n</file>` };
}

function isText(mimeType: string): boolean {
  return mimeType.startsWith("text/") || /^application\/(?:json|yaml|xml)$/.test(mimeType);
}

function suffixOf(name: string): string {
  const file = name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1);
  const dot = file.lastIndexOf(".");
  return dot <= 0 ? "" : file.slice(dot).toLowerCase();
}

function refused(message: string): PegboardError {
  return new PegboardError("invalid_input", message);
}
