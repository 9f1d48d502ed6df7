import { PegboardError } from "../core/error.ts";
import type { Usage } from "../core/model.ts";
import type { Budget } from "../core/budget.ts";

/** What was used before, by a run that goes on. */
export interface Spent {
  readonly usage: Usage;
  readonly cost: number;
  readonly spawns: number;
  readonly timeMs: number;
}

/** What a run and all that it started have used, against what they may use. Charging one charges those above it. */
export class Spending {
  readonly #limits: Budget;
  readonly #above: Spending | undefined;
  #startedAt = performance.now();
  #input = 0;
  #output = 0;
  #cached = 0;
  #written = 0;
  #reasoning = 0;
  #usd = 0;
  #spawns = 0;

  constructor(limits: Budget, above?: Spending) {
    this.#limits = limits;
    this.#above = above;
  }

  get usage(): Usage {
    return {
      input: this.#input,
      output: this.#output,
      ...(this.#cached > 0 && { cached: this.#cached }),
      ...(this.#written > 0 && { written: this.#written }),
      ...(this.#reasoning > 0 && { reasoning: this.#reasoning }),
    };
  }

  /** US dollars. */
  get cost(): number {
    return this.#usd;
  }

  /** Begins with what was used before. Those above begin with what all that they started had used. */
  restore({ usage, cost, spawns, timeMs }: Spent): void {
    this.#add(usage, cost);
    this.#spawns += spawns;
    this.#startedAt -= timeMs;
  }

  /** Adds what a turn used. A number that is none, or less than nothing, counts as nothing. */
  charge(usage: Usage, usd: number): void {
    this.#add(usage, usd);
    this.#above?.charge(usage, usd);
  }

  #add(usage: Usage, usd: number): void {
    this.#input += toAmount(usage.input);
    this.#output += toAmount(usage.output);
    this.#cached += toAmount(usage.cached);
    this.#written += toAmount(usage.written);
    this.#reasoning += toAmount(usage.reasoning);
    this.#usd += toAmount(usd);
  }

  /** Counts a run that is about to start. Throws `budget_limit` when there may be no more. */
  spawn(): void {
    this.checkSpawn();
    this.#countSpawn();
  }

  /** The same without counting. */
  checkSpawn(): void {
    this.throwIfSpent();
    this.#throwIfSpawned();
  }

  #throwIfSpawned(): void {
    const { spawns } = this.#limits;
    if (spawns !== undefined && this.#spawns >= spawns)
      throw spent(`${spawns} runs were started, which is all that the budget allows`);
    if (this.#above) this.#above.#throwIfSpawned();
  }

  #countSpawn(): void {
    this.#spawns++;
    if (this.#above) this.#above.#countSpawn();
  }

  /** How long it may still take, in milliseconds. */
  get timeLeft(): number {
    const own = (this.#limits.timeMs ?? Infinity) - (performance.now() - this.#startedAt);
    return Math.min(own, this.#above?.timeLeft ?? Infinity);
  }

  /** Throws `budget_limit` when something is used up, here or above. */
  throwIfSpent(): void {
    const { tokens, usd, timeMs } = this.#limits;
    const used = this.#input + this.#output;
    if (tokens !== undefined && used >= tokens) throw spent(`${used} tokens were used; the budget is ${tokens}`);
    if (usd !== undefined && this.#usd >= usd)
      throw spent(`${this.#usd.toFixed(4)} US dollars were spent; the budget is ${usd}`);
    if (timeMs !== undefined && performance.now() - this.#startedAt >= timeMs)
      throw spent(`The time of the budget, ${timeMs / 1000} seconds, is over`);
    this.#above?.throwIfSpent();
  }
}

// One that is none would make the whole sum none, and there would be no limit any more.
function toAmount(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) && value > 0 ? value : 0;
}

function spent(message: string): PegboardError {
  return new PegboardError("budget_limit", message);
}
