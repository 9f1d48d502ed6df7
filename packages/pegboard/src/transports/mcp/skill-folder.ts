import type { Skill } from "@pegboard/contract";
import type { Session } from "../../core/session.ts";
import type { Shelf, Shelved } from "../../core/shelf.ts";

/** A skill as a folder that clients can read: its text is the file `SKILL.md`. */
export interface SkillFolder {
  /** The address of the folder, without a slash behind it. */
  readonly uri: string;
  readonly skill: Skill;
  /** The paths of its files, its text first. */
  paths(): Promise<readonly string[]>;
  /** A file, or undefined when there is none of this path. */
  read(path: string): Promise<Uint8Array | undefined>;
}

/** The name of the file that has the text. */
export const MANIFEST = "SKILL.md";
const SCHEME = "skill://";

/** The skills that a model sees in a session, as folders. */
export function skillFolders(shelf: Pick<Shelf<Skill>, "list">, session: Session): readonly SkillFolder[] {
  return shelf
    .list()
    .filter(({ item, plugin }) => item.forModels !== false && (plugin === undefined || !session.waitsFor(plugin)))
    .map(toFolder);
}

function toFolder({ item: skill, plugin }: Shelved<Skill>): SkillFolder {
  const place = plugin === undefined ? [] : [encodeURIComponent(plugin)];
  return {
    uri: SCHEME + [...place, encodeURIComponent(skill.name)].join("/"),
    skill,
    paths: async () => [MANIFEST, ...((await skill.list?.()) ?? []).filter((path) => path !== MANIFEST)],
    async read(path) {
      if (path === MANIFEST) return new TextEncoder().encode(toManifest(skill, await skill.read()));
      try {
        const content = await skill.readFile?.(path);
        return typeof content === "string" ? new TextEncoder().encode(content) : content;
      } catch {
        return undefined;
      }
    },
  };
}

/** The text with its front matter; JSON is YAML. */
function toManifest({ name, description }: Skill, text: string): string {
  return `---\nname: ${JSON.stringify(name)}\ndescription: ${JSON.stringify(description)}\n---\n\n${text}`;
}
