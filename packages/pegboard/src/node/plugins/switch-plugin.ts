import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { messageOf, PegboardError } from "../../core/error.ts";
import { addToList, removeFromList } from "../../core/yaml-list.ts";
import type { ComponentKind } from "../../plugins/shelves.ts";
import { CONFIG_FILE, PLUGIN_SWITCHES } from "../places.ts";

/** A file that says which plugins are on. */
export interface SwitchFile {
  readonly file: string;
  /** Where in it that stands. */
  readonly path: readonly string[];
}

/** The file of a workspace that says which plugins are on: its configuration. */
export function workspaceSwitches(workspace: string): SwitchFile {
  return { file: join(workspace, CONFIG_FILE), path: ["plugins"] };
}

/** The person's own file that says which plugins are off. */
export function userSwitches(home: string): SwitchFile {
  return { file: join(home, PLUGIN_SWITCHES), path: [] };
}

/** What is switched: a plugin, or one part of it. */
export interface Switched {
  readonly plugin: string;
  readonly part?: { readonly kind: ComponentKind; readonly name: string };
}

/** Switches a plugin or a part of it on or off; comments and order of the file stay. Whether that changed anything. */
export function switchPlugin({ file, path }: SwitchFile, { plugin, part }: Switched, on: boolean): boolean {
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  let text = before;
  const take = (place: readonly string[], item: string) =>
    void (text = removeFromList(text, [...path, ...place], item));
  const put = (place: readonly string[], item: string) => void (text = addToList(text, [...path, ...place], item));
  try {
    if (part) (on ? take : put)(["off", plugin, part.kind], part.name);
    else {
      take([on ? "disabled" : "enabled"], plugin);
      put([on ? "enabled" : "disabled"], plugin);
    }
  } catch (error) {
    throw new PegboardError("invalid_config", `${file} cannot be changed: ${messageOf(error)}`);
  }
  if (text === before) return false;
  write(file, text);
  return true;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, text, { mode: statSync(file, { throwIfNoEntry: false })?.mode ?? 0o600 });
  renameSync(draft, file);
}
