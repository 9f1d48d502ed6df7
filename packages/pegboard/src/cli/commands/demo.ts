import { rmSync } from "node:fs";
import type { CommandInput } from "../command.ts";
import { tellStory } from "../demo-story.ts";
import { makeDemoWorkspace } from "../demo-workspace.ts";
import { EXIT } from "../exit-code.ts";

/** Shows what Pegboard does on a workspace of its own, and fails when any of it does not end as told. */
export async function demo({ options, terminal }: CommandInput): Promise<number> {
  const say = (line = "") => void (options.json || terminal.print(line));
  const folder = makeDemoWorkspace();
  try {
    say(`${terminal.style("bold", "Pegboard")} is the wall where every tool of an AI agent hangs.`);
    say(`This demo makes a workspace in ${folder}, uses it, and removes it. No network, no key.`);
    say();
    const steps = await tellStory({ folder, say, style: terminal.style });
    const ok = steps.every((step) => step.ok);
    if (options.json) terminal.print(JSON.stringify({ ok, steps }, null, 2));
    say();
    if (!ok)
      terminal.warn(
        `These steps did not end as told: ${steps.flatMap(({ step, ok: told }) => (told ? [] : step)).join(", ")}`,
      );
    else for (const line of NEXT) say(line);
    return ok ? EXIT.done : EXIT.failed;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const NEXT = [
  "Try next:",
  "  pegboard init my-tools           makes a workspace with a first tool",
  "  cd my-tools && pegboard list     shows what hangs there",
  "  pegboard call hello name=world   calls it, through the same stops as above",
  "  pegboard policy explain hello    says what policy decides, and which rule",
  "  pegboard chat --model MODEL      talks with an agent that has these tools",
  "  pegboard log                     shows what happened",
];
