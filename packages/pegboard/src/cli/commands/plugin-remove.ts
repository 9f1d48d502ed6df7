import { realpathSync } from "node:fs";
import { join } from "node:path";
import { diffContents, NO_CONTENTS } from "../../node/plugins/diff.ts";
import { installedAs, lockedIn, removePlugin } from "../../node/plugins/plugin-store.ts";
import { forgetSettings } from "../../node/plugins/stored-settings.ts";
import { userSecrets } from "../../node/secrets.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { needAgreement, showChanges } from "../plugin-changes.ts";
import { findTarget, withTrust } from "../plugin-target.ts";

/** Takes a plugin away, with the settings that were kept for it; of a linked one the link alone. */
export async function pluginRemove(input: CommandInput): Promise<number> {
  const [name] = input.arguments as [string];
  const { options, terminal } = input;
  const target = findTarget(input, name);
  const { store, home } = target;
  const as = installedAs(store, name);
  const locked = lockedIn(store, name);
  const root = as === "added" ? realpathSync(join(store.folder, name)) : undefined;
  if (as !== "linked" && locked) {
    showChanges(input, `Without ${name} there would be no longer:`, diffContents(locked, NO_CONTENTS));
    await needAgreement(input, `Remove ${name}?`);
  } else if (as === "linked") await needAgreement(input, `Unlink ${name}? Its folder stays.`);
  const trusted = await withTrust(target, () => removePlugin(store, name));
  if (root !== undefined) await forgetSettings(home, root, userSecrets(home));
  if (options.json) terminal.print(JSON.stringify({ name, removed: true, was: as ?? "locked", trusted }, null, 2));
  else terminal.print(`The plugin "${name}" is ${as === "linked" ? "unlinked; its folder stays" : "removed"}`);
  return EXIT.done;
}
