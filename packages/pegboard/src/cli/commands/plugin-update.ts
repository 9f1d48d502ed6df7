import type { ErrorCode } from "@pegboard/contract";
import { messageOf, PegboardError } from "../../core/error.ts";
import { draftAccept, draftUpdate } from "../../node/plugins/plugin-draft.ts";
import { isUnchanged, lockedIn, lockedNames } from "../../node/plugins/plugin-store.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { showFailure } from "../failure.ts";
import { type Applied, applyDraft } from "../plugin-apply.ts";
import { findTarget, type PluginTarget, toTarget } from "../plugin-target.ts";
import { visibleLine } from "../terminal.ts";

/**
 * Fetches plugins anew from where they were added, and shows what would be another; settings stay. Of several, one that
 * cannot be updated keeps no other from it.
 */
export async function pluginUpdate(input: CommandInput): Promise<number> {
  const [name] = input.arguments as [string | undefined];
  const { options, terminal } = input;
  const accept = options["accept"] === true;
  if (name === undefined && accept)
    throw new PegboardError("invalid_config", "--accept needs the name of the plugin that is taken as it is");
  const target = name === undefined ? toTarget(input) : findTarget(input, name);
  const done: object[] = [];
  const failures: ErrorCode[] = [];
  for (const one of name === undefined ? lockedNames(target.store) : [name]) {
    try {
      const { json, line } = await updateOne(input, target, one, accept);
      if (!options.json) terminal.print(line);
      done.push(json);
    } catch (thrown) {
      const code = thrown instanceof PegboardError ? thrown.code : "internal";
      if (name !== undefined || code === "cancelled") throw thrown;
      const message = messageOf(thrown);
      showFailure(terminal, { code, message: `${one}: ${message}` });
      failures.push(code);
      done.push({ name: one, updated: false, error: { code, message } });
    }
  }
  if (options.json) terminal.print(JSON.stringify({ plugins: done }, null, 2));
  else if (done.length === 0) terminal.note("No plugin was added that could be updated");
  // What was refused has not failed, where that is all.
  if (failures.every((code) => code === "denied")) return failures.length > 0 ? EXIT.refused : EXIT.done;
  return EXIT.failed;
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
