import type { PluginDraft } from "../node/plugins/plugin-draft.ts";
import type { CommandInput } from "./command.ts";
import { needAgreement, showChanges, withRuns } from "./plugin-changes.ts";
import { lockDefinitions, type LockOptions } from "../node/plugins/lock-definitions.ts";
import { lockedIn } from "../node/plugins/plugin-store.ts";
import { readWorkspace } from "../node/read-workspace.ts";
import { type PluginTarget, withTrust } from "./plugin-target.ts";
import { visible, visibleLine } from "./terminal.ts";

/** How a change is put to the person. */
export interface Wording {
  /** What has happened then. */
  readonly verb: "added" | "updated" | "accepted";
  readonly title: string;
  readonly question: string;
}

/** What came of a change, for programs and for people. */
export interface Applied {
  readonly json: object;
  readonly line: string;
}

/** Shows what a change would make another, asks, and makes it. Throws `denied` without an answer; nothing is changed then. */
export async function applyDraft(
  input: CommandInput,
  target: PluginTarget,
  draft: PluginDraft,
  { verb, title, question }: Wording,
): Promise<Applied> {
  const { terminal } = input;
  const { name, contents, found } = draft;
  try {
    const changes = withRuns(draft.changes, found);
    const from = contents.resolved ?? contents.source;
    // Of code the version shows when it runs.
    const what = contents.code === undefined ? `${name} ${contents.version}` : name;
    showChanges(input, `${what} (${from}) ${title}:`, changes);
    for (const diagnostic of found.diagnostics) terminal.note(`${diagnostic.severity}: ${visible(diagnostic.message)}`);
    await needAgreement(input, question);
    const before = lockedIn(target.store, name);
    const trusted = await withTrust(target, () => draft.commit());
    const brought = trusted && found.code ? await lockCode(target, name, before) : undefined;
    if (brought) showChanges(input, "Its code, which has run now, brings:", brought.changes);
    const { source, resolved, digest } = contents;
    const version = brought?.version ?? contents.version;
    const { folder } = target.store;
    const json = {
      name,
      version,
      source,
      ...(resolved && { resolved }),
      digest,
      folder,
      [verb]: true,
      trusted,
      changes: [...changes, ...(brought?.changes ?? [])],
    };
    if (!trusted)
      terminal.note("The workspace is not trusted: nothing of it runs before you agree with: pegboard trust");
    return { json, line: `The plugin "${visibleLine(name)}" ${visibleLine(version)} is ${verb}` };
  } finally {
    draft.discard();
  }
}

async function lockCode({ store, home, workspace }: PluginTarget, name: string, before: LockOptions["before"]) {
  const { sandbox, config } = await readWorkspace(workspace ?? store.base, { home });
  return lockDefinitions(store, name, {
    sandbox,
    hide: [home, store.drafts],
    before,
    home,
    config,
  });
}
