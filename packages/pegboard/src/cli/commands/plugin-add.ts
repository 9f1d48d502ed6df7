import { draftAdd } from "../../node/plugins/plugin-draft.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { applyDraft } from "../plugin-apply.ts";
import { toTarget } from "../plugin-target.ts";

/** Fetches a plugin, shows what it brings, and adds it when the person agrees. Nothing of it runs meanwhile. */
export async function pluginAdd(input: CommandInput): Promise<number> {
  const [source] = input.arguments as [string];
  const name = input.options["name"] as string | undefined;
  const target = toTarget(input);
  const draft = await draftAdd(target.store, source, { name, from: process.cwd() });
  const wording = { verb: "added", title: "would bring", question: `Add ${draft.name}?` } as const;
  const { json, line } = await applyDraft(input, target, draft, wording);
  input.terminal.print(input.options.json ? JSON.stringify(json, null, 2) : line);
  return EXIT.done;
}
