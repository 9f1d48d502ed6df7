/** Which of a workspace's models an agent of another program runs on. */
export interface ChosenModel {
  /** Absent: the model of whoever runs it. */
  readonly model?: string;
  /** Why it is another one than the file says. */
  readonly note?: string;
}

/** Families of models whose name says how big they are; what fits none is in the middle. */
const FAMILIES: readonly (readonly [family: string, tier: string])[] = [
  ["haiku", "small"],
  ["flash-lite", "small"],
  ["flash", "small"],
  ["nano", "small"],
  ["mini", "small"],
  ["sonnet", "medium"],
  ["opus", "large"],
  ["pro", "large"],
];

/**
 * Finds the model that a file of another program asks for among the names that the workspace gives to models: its own name,
 * its family (`sonnet`), or its size (`small`, `medium`, `large`). Without one it is the model of whoever runs the agent.
 */
export function chooseAlias(written: string, aliases: readonly string[]): ChosenModel {
  const name = written.trim();
  if (name === "" || name.toLowerCase() === "inherit" || name.toLowerCase() === "default") return {};
  if (aliases.includes(name)) return { model: name };
  const alias = alternatives(name).find((one) => aliases.includes(one));
  if (alias !== undefined) return { model: alias, note: `the model "${alias}" of this workspace` };
  return { note: "the model of whoever runs it; name it in models of pegboard.yaml" };
}

function alternatives(name: string): string[] {
  // "Claude Sonnet 4.5 (copilot)", "anthropic/claude-sonnet-4-5"
  const slug = name
    .toLowerCase()
    .replace(/\s*\(.*$/, "")
    .replaceAll(/\s+/g, "-");
  const bare = slug.slice(slug.lastIndexOf("/") + 1);
  const words = bare.split(/[^a-z0-9]+/);
  const family = FAMILIES.find(([one]) => one.split("-").every((word) => words.includes(word)));
  return [slug, bare, ...(family ?? ["medium"])];
}
