import { resolve } from "node:path";
import { toContents } from "../../node/plugins/contents.ts";
import { diffContents } from "../../node/plugins/diff.ts";
import { linkPlugin, readLinkable } from "../../node/plugins/plugin-store.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { needAgreement, showChanges, withRuns } from "../plugin-changes.ts";
import { toTarget, withTrust } from "../plugin-target.ts";

/** Uses a plugin where it is: what is edited there counts at once, and nothing of it is locked. */
export async function pluginLink(input: CommandInput): Promise<number> {
  const [path] = input.arguments as [string];
  const { options, terminal } = input;
  const target = toTarget(input);
  const folder = resolve(path);
  const found = await readLinkable(target.store, folder);
  const { name } = found;
  showChanges(
    input,
    `${name} (${folder}) would bring, as it is there at any time:`,
    withRuns(diffContents(undefined, await toContents(found)), found),
  );
  await needAgreement(input, `Link ${name}?`);
  const trusted = await withTrust(target, () => linkPlugin(target.store, found));
  const { root } = found.folder;
  if (options.json)
    terminal.print(JSON.stringify({ name, linked: true, to: root, folder: target.store.folder, trusted }, null, 2));
  else terminal.print(`The plugin "${name}" is linked to ${root}`);
  if (!trusted) terminal.note("The workspace is not trusted: nothing of it runs before you agree with: pegboard trust");
  return EXIT.done;
}
