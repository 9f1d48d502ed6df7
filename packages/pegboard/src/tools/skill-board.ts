import type { Skill } from "@pegboard/contract";
import type { RegisterOptions, Registry } from "../core/registry.ts";
import type { Shelf } from "../core/shelf.ts";
import { skillTool, type SkillToolDeps } from "./skill.ts";

/** What the tool is lent, with a shelf that tells when it changes. */
export interface SkillBoardDeps extends SkillToolDeps {
  readonly shelf: Shelf<Skill>;
}

const OWN: RegisterOptions = { layer: "builtin", source: { kind: "builtin", id: "skills" } };

/** Keeps the tool `skill` on a board, in step with a shelf: it is there as long as the shelf has a skill for models. */
export function hangSkillTool(deps: SkillBoardDeps, board: Registry): Disposable {
  const { shelf } = deps;
  let hung: Disposable | undefined;
  let waiting = false;
  let isOver = false;
  const hang = () => {
    waiting = false;
    if (isOver) return;
    const before = hung;
    hung = shelf.list().some(({ item }) => item.forModels !== false)
      ? board.registerOrReplace(skillTool(deps), OWN)
      : undefined;
    if (!hung) before?.[Symbol.dispose]();
  };
  // A plugin brings many at once, and whoever watches the board is told once.
  const watching = shelf.onChange(() => {
    if (!waiting) queueMicrotask(hang);
    waiting = true;
  });
  hang();
  return {
    [Symbol.dispose]() {
      isOver = true;
      watching[Symbol.dispose]();
      hung?.[Symbol.dispose]();
    },
  };
}
