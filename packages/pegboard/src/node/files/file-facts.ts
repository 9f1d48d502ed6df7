import { defineTool, type Tool } from "@pegboard/contract";
import { approveChange, type FileAccess, PATH, refuseDetour, toWritable, turnOf } from "./access.ts";
import { refuse } from "./file-error.ts";
import { hold, holdExisting } from "./held.ts";
import { inTurn } from "./in-turn.ts";
import { isReadonly, locate } from "./mounts.ts";
import { typeOf } from "./read-inside.ts";
import { removeEntry, toTarget } from "./write-inside.ts";

const INPUT = { type: "object", properties: { path: PATH }, required: ["path"], additionalProperties: false } as const;

/** The tool that tells whether something is there. */
export function fileExistsTool({ mounts }: FileAccess): Tool {
  return defineTool({
    name: "file_exists",
    description: "Tell whether there is a file or folder at a path",
    input: INPUT,
    capabilities: ["read"],
    async execute(input) {
      const place = locate(mounts(), input.path);
      const held = (await hold(place)) ?? (await holdExisting(place).catch(unlessMissing));
      held?.release();
      const type = held && typeOf(held.stats);
      const text = type ? `${place.path} is a ${type}` : `There is nothing at ${place.path}`;
      return {
        content: [{ type: "text", text }],
        structured: { path: place.path, exists: held !== undefined, ...(type && { type }) },
      };
    },
  });
}

/** The tool that tells size, time, rights and number of names of a file. */
export function fileInfoTool({ mounts }: FileAccess): Tool {
  return defineTool({
    name: "file_info",
    description: "Tell the type, size, time of change, rights and number of hard links of a file or folder",
    input: INPUT,
    capabilities: ["read"],
    async execute(input) {
      const place = locate(mounts(), input.path);
      const { stats, real, release } = await holdExisting(place);
      release();
      return {
        path: place.path,
        type: typeOf(stats),
        size: stats.size,
        modified: stats.mtime.toISOString(),
        mode: (stats.mode & 0o7777).toString(8).padStart(4, "0"),
        links: stats.nlink,
        readonly: isReadonly(place.mount, real),
      };
    },
  });
}

/** The tool that removes a file. */
export function deleteFileTool(access: FileAccess): Tool {
  return defineTool({
    name: "delete_file",
    description: "Delete a file. Of a link, the link is deleted and not what it leads to. Folders are not deleted",
    input: INPUT,
    capabilities: ["write"],
    approval: approveChange(access),
    summary: ({ path }) => `Delete ${path}`,
    async execute(input, { session }) {
      const place = toWritable(access.mounts(), input.path);
      const { path } = place;
      return inTurn(await turnOf(place), async () => {
        const target = await toTarget(place, { follow: false, check: refuseDetour(access, place) });
        try {
          if (!target.entry) throw refuse("not_found", path, "there is no such file");
          const type = typeOf(target.entry.stats);
          if (type !== "file" && type !== "link")
            throw refuse(
              type === "folder" ? "invalid_input" : "denied",
              path,
              `it is a ${type}, and only files are deleted`,
            );
          await removeEntry(target);
          access.seen.forget(session.id, target.real);
          return { content: [{ type: "text", text: `Deleted ${path}` }], structured: { path, type } };
        } finally {
          target.release();
        }
      });
    },
  });
}

function unlessMissing(error: unknown): undefined {
  if ((error as { code?: unknown }).code !== "not_found") throw error;
}
