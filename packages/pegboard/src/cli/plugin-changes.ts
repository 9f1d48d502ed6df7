import { PegboardError } from "../core/error.ts";
import type { FoundPlugin } from "../node/plugins/discover.ts";
import type { PluginChange } from "../node/plugins/diff.ts";
import { pluginRuns } from "../node/plugins/plugin-runs.ts";
import { confirm } from "./ask.ts";
import type { CommandInput } from "./command.ts";
import { type Cell, toLines } from "./table.ts";
import { type Style, visibleLine } from "./terminal.ts";

const SIGNS: Readonly<Record<PluginChange["change"], readonly [sign: string, style: Style]>> = {
  added: ["+", "green"],
  removed: ["-", "red"],
  changed: ["~", "yellow"],
};

/** The changes with what each would run or reach, for people and programs. */
export function withRuns(changes: readonly PluginChange[], found: FoundPlugin): readonly PluginChange[] {
  const runs = pluginRuns(found);
  return changes.map((one) => {
    const run = runs.find(({ kind, name }) => kind === one.kind && kind !== "code" && name === one.name);
    if (!run || one.change === "removed") return one;
    return { ...one, note: `${run.what.includes("://") ? "reaches" : "runs"}: ${run.what}` };
  });
}

/** Shows what would be another; silent only for whoever agreed to it beforehand and wants silence. */
export function showChanges(
  { options, terminal }: CommandInput,
  title: string,
  changes: readonly PluginChange[],
): void {
  const show = options["yes"] === true ? terminal.note : terminal.warn;
  show(visibleLine(title));
  const rows = changes.map(({ change, kind, name, note = "" }): readonly Cell[] => {
    const [sign, style] = SIGNS[change];
    const paint = (text: string) => terminal.style(style, text);
    return [
      { text: `  ${sign} ${kind}`, show: paint },
      { text: visibleLine(name), show: paint },
      { text: visibleLine(note) },
    ];
  });
  for (const line of toLines(rows)) show(line);
  if (changes.length === 0) show("  nothing else");
}

/** Asks whether to go on. Throws `denied` when the answer is no, or when nobody is there to ask. */
export async function needAgreement({ options, terminal }: CommandInput, question: string): Promise<void> {
  if (options["yes"] === true) return;
  if (!terminal.interactive)
    throw new PegboardError(
      "denied",
      "Nothing was changed: there is no terminal to ask on. Look at what is said above, and agree with --yes",
    );
  if (!(await confirm(question))) throw new PegboardError("denied", "Nothing was changed");
}
