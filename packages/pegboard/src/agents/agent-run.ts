import type { Agent } from "@pegboard/contract";
import { cancelled, type Control } from "../core/control.ts";
import { messageOf, PegboardError } from "../core/error.ts";
import type { Event, EventData, EventType } from "../core/event.ts";
import type { CallingAgent } from "../core/caller.ts";
import type { About } from "../core/log.ts";
import type { Model } from "../core/model.ts";
import { newId } from "../core/new-id.ts";
import { type Registration, Registry } from "../core/registry.ts";
import type { Run } from "../core/run.ts";
import type { RunResult } from "../core/run-result.ts";
import type { Workbench } from "../core/workbench.ts";
import type { Spending } from "./budget.ts";
import { EventQueue } from "./event-queue.ts";
import { GivenWork } from "./given-work.ts";
import type { Lanes } from "./lanes.ts";
import { Place } from "./place.ts";
import type { Lease } from "./pool.ts";
import type { Resumption } from "./resumption.ts";

/** How a run comes to be. */
export interface RunSeed {
  readonly agent: string;
  readonly workbench: Workbench;
  readonly spending: Spending;
  readonly lanes: Lanes;
  /** Where it queues itself, with all others. */
  readonly places: Lanes;
  readonly control: Control;
  /** The run that started it, and by which call. */
  readonly parent?: AgentRun | undefined;
  readonly call?: string | undefined;
  /** The agent that started it, whose rights it cannot exceed. */
  readonly within?: CallingAgent | undefined;
  /** The task that it works on. */
  readonly task?: string | undefined;
  /** Where it goes on, of a run whose process ended. */
  readonly from?: Resumption | undefined;
}

/** One agent at work, and its place among those that started it and those it starts. */
export class AgentRun implements Run {
  readonly id: string;
  readonly agent: string;
  readonly workbench: Workbench;
  readonly spending: Spending;
  /** Where the runs that it starts queue. */
  readonly lanes: Lanes;
  /** Its own place among all that are at work. */
  readonly place: Place;
  readonly control: Control;
  readonly parent: AgentRun | undefined;
  readonly within: CallingAgent | undefined;
  readonly task: string | undefined;
  /** The agent as it was asked for. */
  source: string | Agent;
  /** Which agents it may ask; absent is all. */
  agents: readonly string[] | undefined;
  readonly given = new GivenWork();
  /** From the root agent to this one. */
  readonly chain: readonly string[];
  readonly about: About;
  // Lists, not sets: thousands of runs may wait, and an empty list weighs next to nothing.
  warnings: readonly string[] = [];
  /** What was asked of which agent so far. */
  readonly asked: string[] = [];
  /** How many runs it started, and those of them that are at work. */
  started = 0;
  children: readonly AgentRun[] = [];
  turns = 0;
  calls = 0;
  readonly startedAt = performance.now();
  /** Whether hooks were told that it begins. */
  isAnnounced = false;
  /** The last answer. */
  text = "";
  model: Model | undefined;
  /** The boards that its agent's calls look at before those of the session: its own, then those of the runs above. */
  readonly boards: readonly [Registry, ...Registry[]];
  /** As which agent it calls, once it works. */
  caller: CallingAgent | undefined;
  /** Where it goes on, of a run whose process ended. */
  readonly from: Resumption | undefined;
  result!: Promise<RunResult>;
  #readers: readonly EventQueue[] = [];
  #over = false;
  #failed = false;
  #lease: Lease<unknown> | undefined;

  constructor({ agent, workbench, spending, lanes, places, control, parent, call, within, task, from }: RunSeed) {
    this.id = from?.state.id ?? newId();
    this.agent = agent;
    this.workbench = workbench;
    this.spending = spending;
    this.lanes = lanes;
    this.place = new Place(places, this);
    this.control = control;
    this.parent = parent;
    this.within = within;
    this.task = task;
    this.source = agent;
    this.from = from;
    if (from) {
      this.isAnnounced = true;
      const { turns, calls, text, started, asked, spent, letters } = from.state;
      this.asked.push(...asked);
      for (const { wakes, ...letter } of letters) this.given.mailbox.post(letter, { wakes });
      Object.assign(this, { turns, calls, text, started });
      spending.restore(spent);
    }
    const source = { kind: "prompt", id: agent, agent: this.id } as const;
    const board = new Registry({ layer: "session", source });
    this.boards = parent ? [board, ...parent.boards] : [board];
    this.chain = Object.freeze(within ? [...within.chain, agent] : [agent]);
    this.about = { run: this.id, ...(call !== undefined && { parent: call }), chain: this.chain };
  }

  cancel(): void {
    this.control.cancel(cancelled(`The run of agent "${this.agent}" was cancelled`));
  }

  /** Ends what it started, because it ended early itself. */
  abandon(thrown: unknown): void {
    this.#failed = true;
    const passesOn = thrown instanceof PegboardError && (thrown.code === "budget_limit" || thrown.code === "cancelled");
    this.control.cancel(passesOn ? thrown : cancelled(`The run of agent "${this.agent}" that started it has failed`));
  }

  /** Ends the run when its time is over. Returns how to stop waiting for that. */
  watchTime(): () => void {
    const left = this.spending.timeLeft;
    // What no timer can wait for is met between two turns.
    if (left > MAX_TIMER) return () => {};
    const over = () => this.control.cancel(new PegboardError("budget_limit", "The time of the budget is over"));
    const timer = setTimeout(over, Math.max(left, 0));
    return () => clearTimeout(timer);
  }

  /** What a name stands for where it runs, whoever asks. */
  find(name: string): Registration | undefined {
    for (const board of this.boards) {
      const registration = board.find(name);
      if (registration) return registration;
    }
    return this.workbench.find(name);
  }

  /** Says something about the run, once. */
  warn(warning: string): void {
    if (!this.warnings.includes(warning)) this.warnings = this.warnings.concat(warning);
  }

  /** Puts an event on record that the run depends on. Rejects with `unavailable` when it cannot be written. */
  async record<Type extends EventType>(type: Type, data: EventData[Type]): Promise<void> {
    try {
      await this.workbench.log.append(type, data, this.about);
    } catch (error) {
      throw unrecorded(messageOf(error), error);
    }
  }

  /** The same for what nothing depends on. */
  mention<Type extends EventType>(type: Type, data: EventData[Type]): void {
    void this.workbench.log.append(type, data, this.about).catch(() => {});
  }

  /** Lets whoever watches know that it waits until fewer are at work. */
  queued(before: number): void {
    this.mention("run-change", { before });
  }

  /** Hands an event to whoever reads this run, or one above it. */
  deliver(event: Event): void {
    for (const reader of this.#readers) reader.push(event);
    this.parent?.deliver(event);
  }

  /** Keeps what is lent to it until it ends; gives it back at once when it has. */
  hold(lease: Lease<unknown>): void {
    this.#lease = lease;
    if (this.#over) this.#giveBack();
  }

  // What failed here may be why: the next one gets another.
  #giveBack(): void {
    if (this.#failed) this.#lease?.discard();
    else this.#lease?.[Symbol.dispose]();
  }

  /** Lets readers end. */
  end(): void {
    this.#over = true;
    this.#giveBack();
    for (const reader of this.#readers) reader.end();
    this.#readers = [];
  }

  [Symbol.asyncIterator](): AsyncIterator<Event> {
    const reader: EventQueue = new EventQueue(() => {
      this.#readers = this.#readers.filter((other) => other !== reader);
    });
    if (this.#over) reader.end();
    else this.#readers = [...this.#readers, reader];
    return reader;
  }
}

/** The error of a run whose log cannot be written: going on would leave no trace. */
export function unrecorded(why: string, cause?: unknown): PegboardError {
  return new PegboardError("unavailable", `The run cannot go on: its log cannot be written (${why})`, { cause });
}

// A longer delay would fire at once.
const MAX_TIMER = 2 ** 31 - 1;
