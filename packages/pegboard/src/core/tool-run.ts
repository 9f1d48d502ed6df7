import type { Result, ToolContext } from "@pegboard/contract";
import type { Call, DispatchDeps } from "./call.ts";
import { Control } from "./control.ts";
import type { Execution } from "./execute.ts";
import type { Limits } from "./limits.ts";
import type { About } from "./log.ts";
import { newId } from "./new-id.ts";
import { createProgress, type Progress } from "./progress.ts";
import type { Registration } from "./registry.ts";

/** Takes a call through every stop. */
type Dispatch = (call: Call, deps: DispatchDeps) => Promise<Result>;

/** The tool of one call at work: what it reports goes to the log, what it calls through the dispatcher. */
export class ToolRun implements Execution {
  readonly call: Call;
  readonly timeoutMs: number | null;
  readonly #tool: string;
  readonly #about: About;
  readonly #deps: DispatchDeps;
  readonly #dispatch: Dispatch;
  readonly #startedAt = performance.now();
  #progress: Progress | undefined;

  constructor(call: Call, { name, tool }: Registration, about: About, deps: DispatchDeps, dispatch: Dispatch) {
    this.call = call;
    this.timeoutMs = toTimeout(tool.timeoutMs, deps.limits);
    this.#tool = name;
    this.#about = about;
    this.#deps = deps;
    this.#dispatch = dispatch;
  }

  get session(): DispatchDeps["session"] {
    return this.#deps.session;
  }

  progress(...[message, amount]: Parameters<ToolContext["progress"]>): void {
    const { log, redactor } = this.#deps;
    this.#progress ??= createProgress((data) => void log.append("call-progress", data, this.#about));
    // Before it is cut: half a secret would not be found.
    this.#progress.report(redactor.text(String(message)), amount);
  }

  async callTool(...[tool, input]: Parameters<ToolContext["call"]>): Promise<Result> {
    const { id, caller, control, parents, client } = this.call;
    using inner = new Control(control);
    const nested: Call = {
      id: newId(),
      tool,
      input,
      caller: { ...caller, kind: "tool" },
      control: inner,
      parents: [...parents, id],
      client,
    };
    return await this.#dispatch(nested, this.#deps.nested ?? this.#deps);
  }

  ended(): void {
    this.#progress?.flush();
  }

  late(ok: boolean): void {
    const ms = Math.round(performance.now() - this.#startedAt);
    void this.#deps.log.append("execute-end", { tool: this.#tool, late: true, ok, ms }, this.#about);
  }
}

function toTimeout(asked: number | null | undefined, { timeoutMs, maxTimeoutMs }: Limits): number | null {
  if (asked === null) return maxTimeoutMs;
  return Math.min(asked ?? timeoutMs, maxTimeoutMs ?? Infinity);
}
