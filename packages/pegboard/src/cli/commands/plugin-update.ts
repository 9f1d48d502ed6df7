import { PegboardError } from "../../core/error.ts";
import { draftAccept, draftUpdate } from "../../node/plugins/plugin-draft.ts";
import { isUnchanged, lockedIn, lockedNames } from "../../node/plugins/plugin-store.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { type Applied, applyDraft } from "../plugin-apply.ts";
import { findTarget, type PluginTarget, toTarget } from "../plugin-target.ts";
import { visibleLine } from "../terminal.ts";

/** Fetches plugins anew from where they were added, and shows what would be another; settings stay. */
export async function pluginUpdate(input: CommandInput): Promise<number> {
  const [name] = input.arguments as [string | undefined];
  const { options, terminal } = input;
  const accept = options["accept"] === true;
  if (name === undefined && accept)
    throw new PegboardError("invalid_config", "--accept needs the name of the plugin that is taken as it is");
  const target = name === undefined ? toTarget(input) : findTarget(input, name);
  const done: Applied[] = [];
  for (const one of name === undefined ? lockedNames(target.store) : [name]) {
    const applied = await updateOne(input, target, one, accept);
    if (!options.json) terminal.print(applied.line);
    done.push(applied);
  }
  if (options.json) terminal.print(JSON.stringify({ plugins: done.map(({ json }) => json) }, null, 2));
  else if (done.length === 0) terminal.note("No plugin was added that could be updated");
  return EXIT.done;
}

async function updateOne(input: CommandInput, target: PluginTarget, name: string, accept: boolean): Promise<Applied> {
  const { store } = target;
  const source = lockedIn(store, name)?.source;
  if (source !== undefined && !accept) input.terminal.note(`Fetching ${name} from ${visibleLine(source)}`);
  const draft = accept ? await draftAccept(store, name) : await draftUpdate(store, name);
  // The same code can bring something else: only running it tells.
  const mayDiffer = accept && draft.found.code !== undefined;
  if (!mayDiffer && isUnchanged(store, name, draft.contents)) {
    draft.discard();
    const { version } = draft.contents;
    return { json: { name, version, updated: false }, line: `The plugin "${name}" is up to date` };
  }
  return applyDraft(input, target, draft, {
    verb: accept ? "accepted" : "updated",
    title: "would change",
    question: accept ? `Take ${name} as it is?` : `Update ${name}?`,
  });
}
