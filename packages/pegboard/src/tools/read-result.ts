import { defineTool, type Tool } from "@pegboard/contract";
import type { BlobStore } from "../core/blob.ts";
import { PegboardError } from "../core/error.ts";

const MOST = 200_000;

/** The tool that reads on in a result that was cut. A handle is good only in the session that got it. */
export function readResultTool(blobs: BlobStore): Tool {
  return defineTool({
    name: "read_result",
    description: "Read on in a result that was cut: its note names the handle and the offset",
    input: {
      type: "object",
      properties: {
        handle: { type: "string", description: "From the note of the cut result" },
        offset: { type: "integer", minimum: 0, default: 0, description: "The first character to read" },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: MOST,
          default: 20_000,
          description: "How many characters to read",
        },
      },
      required: ["handle"],
      additionalProperties: false,
    },
    capabilities: ["state"],
    async execute({ handle, offset, limit }, { session }) {
      const part = await blobs.read(session.id, handle, offset, limit);
      if (!part)
        throw new PegboardError("not_found", `No whole result is kept under the handle "${handle}" in this session`);
      const { text, characters } = part;
      const next = offset + text.length;
      const left = Math.max(0, characters - next);
      const note =
        left > 0
          ? `[${left} of ${characters} characters are left; go on with offset ${next}]`
          : `[the end: ${characters} characters in all]`;
      return {
        content: [
          { type: "text", text },
          { type: "text", text: note },
        ],
        structured: { offset, characters, left, ...(left > 0 && { next }) },
        meta: { kind: "text" },
      };
    },
  });
}
