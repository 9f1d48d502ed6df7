import type { Command } from "@pegboard/contract";
import { parseCommandFile } from "../../agents/command-file.ts";
import { toName } from "../../agents/agent-name.ts";
import { messageOf } from "../../core/error.ts";
import type { PluginFolder } from "./plugin-folder.ts";
import { keepFirst, type ReadItem } from "./read-item.ts";
import { brokenReport, type ReadFile, type Sort, toReport } from "./report.ts";

/** What comes of the text of a command. */
export type ReadCommand = Omit<ReadFile, "loaded" | "item"> & { readonly command?: Command };

/** How commands are read: the ending of their files, and what makes a command of one. */
export interface CommandFormat {
  readonly format: string;
  readonly ending: string;
  read(text: string, options: { readonly file: string; readonly name: string }): ReadCommand;
}

/** The commands of Claude Code and of those who do as it does: markdown. */
export function markdownCommands(models: readonly string[] = []): CommandFormat {
  return { format: "claude", ending: ".md", read: (text, options) => parseCommandFile(text, { ...options, models }) };
}

const MAX_DEPTH = 8;

/**
 * Reads the commands in a folder and the folders below it: `git/commit.md` is `git-commit`. A path may also be one file. A
 * bad one hurts no other.
 */
export async function readCommands(
  folder: PluginFolder,
  path: string,
  format: CommandFormat,
): Promise<readonly ReadItem<Command>[]> {
  const files: string[] = [];
  const enter = async (at: string, depth: number): Promise<void> => {
    for (const { name, type } of (await folder.list(at)) ?? []) {
      const inner = `${at}/${name}`;
      if (type === "folder" && depth < MAX_DEPTH) await enter(inner, depth + 1);
      else if (type !== "folder" && isCommand(name, format)) files.push(inner);
    }
  };
  const isFile = (await folder.typeOf(path)) === "file";
  if (isFile) files.push(path);
  else await enter(path, 1);
  const base = isFile ? path.lastIndexOf("/") + 1 : path.length + 1;
  const read: ReadItem<Command>[] = [];
  for (const file of files) read.push(await readCommand(folder, file, file.slice(base), format));
  return keepFirst(read);
}

function isCommand(name: string, { ending }: CommandFormat): boolean {
  return name.endsWith(ending) && name.toLowerCase() !== "readme.md";
}

async function readCommand(
  folder: PluginFolder,
  path: string,
  inner: string,
  format: CommandFormat,
): Promise<ReadItem<Command>> {
  const file = folder.absolute(path);
  const sort: Sort = { kind: "command", format: format.format };
  const name = toName(inner.slice(0, -format.ending.length).replaceAll("/", "-").replaceAll(/_{2,}/g, "_"));
  if (name === undefined) return { report: brokenReport(file, sort, "no name can be made of the name of the file") };
  try {
    const text = await folder.read(path);
    if (text === undefined) return { report: brokenReport(file, sort, "it is a link that leads nowhere") };
    const { command, ...read } = format.read(text, { file, name });
    const report = toReport(file, sort, { ...read, loaded: command !== undefined, ...(command && { item: command }) });
    return { ...(command && { item: command }), report };
  } catch (error) {
    return { report: brokenReport(file, sort, messageOf(error)) };
  }
}
