import type { Session } from "../../core/session.ts";
import type { Runtime } from "../../runtime.ts";

/** Of what there is a list that changes. */
export type Listed = "tools" | "prompts" | "resources";

/** What comes at once is told once. */
const SETTLE_MS = 10;

/** Calls the listener a moment after what a session can call, or call up, has changed. */
export function onListChange(
  { tools, agents, commands, prompts, resources, skills }: Runtime,
  session: Session | undefined,
  listener: (what: Listed) => void,
): Disposable {
  const timers = new Map<Listed, ReturnType<typeof setTimeout>>();
  const changed = (what: Listed) => () => {
    if (timers.has(what)) return;
    const tell = () => {
      timers.delete(what);
      listener(what);
    };
    timers.set(what, setTimeout(tell, SETTLE_MS));
  };
  const watched = [
    tools.onChange(changed("tools")),
    agents.onChange(changed("tools")),
    session?.tools.onChange(changed("tools")),
    commands.onChange(changed("prompts")),
    prompts.onChange(changed("prompts")),
    resources.onChange(changed("resources")),
    skills.onChange(changed("resources")),
  ];
  return {
    [Symbol.dispose]() {
      for (const timer of timers.values()) clearTimeout(timer);
      for (const one of watched) one?.[Symbol.dispose]();
    },
  };
}
