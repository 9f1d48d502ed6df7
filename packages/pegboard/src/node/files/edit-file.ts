import { defineTool, type Tool } from "@pegboard/contract";
import { approveChange, type FileAccess, MAX_FILE_BYTES, PATH } from "./access.ts";
import { changeFile } from "./change-file.ts";
import { refuse } from "./file-error.ts";
import { decodeText, encodeText, refuseBinaryBytes } from "./text.ts";

interface Edit {
  readonly old: string;
  readonly new: string;
  readonly all?: boolean;
}

/** The tool that replaces pieces of a text file. All edits are made or none. */
export function editFileTool(access: FileAccess): Tool {
  return defineTool({
    name: "edit_file",
    description:
      "Change pieces of a text file, one after the other. Each old text must be there exactly once, unless all is true. Tells what changed",
    input: {
      type: "object",
      properties: {
        path: PATH,
        edits: {
          type: "array",
          minItems: 1,
          maxItems: 100,
          items: {
            type: "object",
            properties: {
              old: {
                type: "string",
                minLength: 1,
                description: "The text to replace, exactly as it stands in the file",
              },
              new: { type: "string", description: "The text to put there" },
              all: { type: "boolean", description: "Replace it wherever it stands" },
            },
            required: ["old", "new"],
            additionalProperties: false,
          },
        },
      },
      required: ["path", "edits"],
      additionalProperties: false,
    },
    capabilities: ["write"],
    approval: approveChange(access),
    summary: ({ path, edits }) => `Edit ${path} (${edits.length} ${edits.length === 1 ? "place" : "places"})`,
    execute: ({ path, edits }, { session }) =>
      changeFile(access, {
        path,
        session: session.id,
        make: false,
        apply: (before, shown) => {
          if (!before?.bytes) throw refuse("invalid_input", shown, "it is too big to edit");
          return applyEdits(before.bytes, edits, shown);
        },
      }),
  });
}

function applyEdits(bytes: Buffer, edits: readonly Edit[], path: string): Buffer {
  refuseBinaryBytes(bytes, path);
  const { text, mark, lossy } = decodeText(bytes);
  if (lossy) throw refuse("invalid_input", path, "it holds bytes that are not UTF-8, which an edit would destroy");
  return encodeText(
    edits.reduce((current, edit, index) => applyEdit(current, edit, `edit ${index + 1}`, path), text),
    mark,
  );
}

function applyEdit(text: string, { old, new: replacement, all = false }: Edit, which: string, path: string): string {
  const count = countOf(text, old);
  if (count === 0) throw refuse("invalid_input", path, `${which}: the old text is not in it${hint(text, old)}`);
  if (count > 1 && !all)
    throw refuse(
      "invalid_input",
      path,
      `${which}: the old text is in it ${count} times; give more of what stands around it, or all: true`,
    );
  if (text.length + count * (replacement.length - old.length) > MAX_FILE_BYTES)
    throw refuse("invalid_input", path, `${which}: the file would have more than ${MAX_FILE_BYTES} bytes`);
  return text.replaceAll(old, () => replacement);
}

function countOf(text: string, old: string): number {
  let count = 0;
  for (let at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + old.length)) count++;
  return count;
}

function hint(text: string, old: string): string {
  if (text.includes("\r\n") && !old.includes("\r") && text.includes(old.replaceAll("\n", "\r\n")))
    return "; its lines end in \\r\\n";
  const squeeze = (some: string) => some.replaceAll(/\s+/g, " ").trim();
  return squeeze(text).includes(squeeze(old))
    ? "; it is there with other blanks or line ends"
    : "; read the file again";
}
