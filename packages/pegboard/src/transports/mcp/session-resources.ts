import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Json, Result } from "@pegboard/contract";
import type { Session } from "../../core/session.ts";
import type { McpResources } from "./resources.ts";

const FILES = "vfs:///";
const RESULTS = "result:///";
/** How much of a kept result is read at once. */
const PART = 200_000;

/**
 * The virtual files, and results that were cut, as resources. They are read by the tools for them: what a session may not
 * call, it may not read.
 */
export const SESSION_RESOURCES: McpResources = {
  async list(session) {
    const { ok, structured } = await callIfAllowed(session, "vfs_list", {}).catch(() => NOTHING);
    const paths = ok && Array.isArray(structured) ? structured.filter((path) => typeof path === "string") : [];
    return paths.map((path) => ({ uri: FILES + path.split("/").map(encodeURIComponent).join("/"), name: path }));
  },
  templates: (session) => [
    ...(has(session, "vfs_read") ? [{ uriTemplate: `${FILES}{+path}`, name: "A virtual file" }] : []),
    ...(has(session, "read_result")
      ? [{ uriTemplate: `${RESULTS}{handle}`, name: "A result that was cut, whole" }]
      : []),
  ],
  async read(session, uri) {
    if (uri.startsWith(FILES)) return readFile(session, uri);
    return uri.startsWith(RESULTS) ? readResult(session, uri) : undefined;
  },
};

const NOTHING: Pick<Result, "ok" | "structured"> = { ok: false };

async function readFile(session: Session, uri: string) {
  const path = decode(uri.slice(FILES.length));
  const result = path === undefined ? undefined : await callIfAllowed(session, "vfs_read", { path });
  const { text } = Object(result?.structured) as { text?: Json };
  return typeof text === "string" ? [{ uri, mimeType: "text/plain", text }] : undefined;
}

async function readResult(session: Session, uri: string) {
  const handle = decode(uri.slice(RESULTS.length)) ?? "";
  let text = "";
  for (let more = true; more;) {
    const result = await callIfAllowed(session, "read_result", { handle, offset: text.length, limit: PART });
    if (!result.ok) return undefined;
    const [first] = result.content;
    const part = first?.type === "text" ? first.text : "";
    text += part;
    // A part that was cut itself says nothing of what is left.
    const { left } = Object(result.structured) as { left?: Json };
    more = part !== "" && left !== 0;
  }
  return [{ uri, mimeType: "text/plain", text }];
}

/** Calls a tool that needs nobody's approval. A resource is read, not asked for. */
async function callIfAllowed(session: Session, tool: string, input: Json): Promise<Result> {
  const { decision } = await session.explain(tool, input);
  if (decision === "ask")
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `This needs the approval of a person: call the tool "${tool}" instead`,
    );
  return session.call(tool, input);
}

function has(session: Session, tool: string): boolean {
  return session.list().some(({ name }) => name === tool);
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
