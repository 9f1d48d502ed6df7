import type { PluginStatus } from "@pegboard/contract";
import type { Diagnostic } from "../core/diagnostic.ts";

/** Why a plugin is not there. */
export interface Rest {
  readonly status: "failed" | "disabled";
  readonly reason: string;
}

/** What is kept of a plugin that is noisy. */
const MOST_NOTED = 20;

/** How one plugin does, and why. */
export class PluginHealth {
  readonly #found: readonly Diagnostic[];
  readonly #file: string | undefined;
  /** What works in part only, by what it is about. */
  readonly #problems = new Map<string, string>();
  /** What was odd since it came. */
  #noted: readonly Diagnostic[] = [];
  #rest: Rest | undefined;

  /** Of a plugin that rests. `found` is what was found when it was read; `file` is where it comes from. */
  constructor(rest: Rest, found: readonly Diagnostic[], file: string | undefined) {
    this.#rest = rest;
    this.#found = found;
    this.#file = file;
  }

  get status(): PluginStatus {
    return this.#rest?.status ?? (this.#problems.size > 0 ? "degraded" : "healthy");
  }

  /** Why it is not healthy. */
  get reason(): string | undefined {
    if (this.#rest) return this.#rest.reason;
    return this.#problems.size > 0 ? [...this.#problems.values()].join("; ") : undefined;
  }

  get diagnostics(): readonly Diagnostic[] {
    return [...this.#found, ...this.#noted];
  }

  /** It is about to come: what was before does not count. */
  begin(): void {
    this.#problems.clear();
    this.#noted = [];
  }

  /** It is there; in part only, when something of it could not be read. */
  rise(): void {
    this.#rest = undefined;
    for (const { severity, message } of this.#found) if (severity === "error") this.report(message, message);
  }

  /** It is not there. */
  rest(rest: Rest): void {
    this.#rest = rest;
  }

  /** Something of it does not work, or is well again when there is no problem. */
  report(about: string, problem: string | undefined): void {
    if (problem === undefined) this.#problems.delete(about);
    else this.#problems.set(about, problem);
  }

  /** Something that people should know and that takes nothing away. */
  note(code: string, message: string, severity: Diagnostic["severity"] = "warning"): void {
    const noted: Diagnostic = { severity, code, message, ...(this.#file !== undefined && { file: this.#file }) };
    this.#noted = [...this.#noted.slice(1 - MOST_NOTED), noted];
  }
}
