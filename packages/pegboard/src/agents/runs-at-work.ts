import type { Workbench } from "../core/workbench.ts";
import type { AgentRun } from "./agent-run.ts";
import { followCancels } from "./follow-cancels.ts";

/** The runs that this process has at work, by their ids. */
export class RunsAtWork {
  readonly #runs = new Map<string, AgentRun>();
  readonly #sessions = new Map<
    string,
    { runs: number; readonly listening: Disposable; readonly following: Disposable }
  >();

  get(id: string): AgentRun | undefined {
    return this.#runs.get(id);
  }

  has(id: string): boolean {
    return this.#runs.has(id);
  }

  add(run: AgentRun): void {
    this.#runs.set(run.id, run);
    if (run.parent) run.parent.children = [...run.parent.children, run];
    this.#listen(run.workbench);
  }

  remove(run: AgentRun): void {
    this.#runs.delete(run.id);
    if (run.parent) run.parent.children = run.parent.children.filter((other) => other !== run);
    this.#leave(run.workbench);
  }

  /** Cancels a run of a session, or a task that one gave away. Whether there was one. */
  cancel(id: string, session: string): boolean {
    const runs = [...this.#runs.values()].filter(({ workbench }) => workbench.session.id === session);
    const found =
      runs.find((run) => run.id === id) ?? runs.flatMap(({ given }) => given.tasks).find((task) => task.id === id);
    found?.cancel();
    return found !== undefined;
  }

  /** Lets the runs of a session hear its log. */
  #listen({ session, log }: Workbench): void {
    const present = this.#sessions.get(session.id);
    if (present) return void present.runs++;
    const listening = log.listen((event) => {
      if (event.run !== undefined) this.#runs.get(event.run)?.deliver(event);
    });
    const following = followCancels(log, (run) => void this.cancel(run, session.id));
    this.#sessions.set(session.id, { runs: 1, listening, following });
  }

  #leave({ session }: Workbench): void {
    const present = this.#sessions.get(session.id);
    if (!present || --present.runs > 0) return;
    present.listening[Symbol.dispose]();
    present.following[Symbol.dispose]();
    this.#sessions.delete(session.id);
  }
}
