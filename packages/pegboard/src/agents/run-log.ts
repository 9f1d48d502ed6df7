import type { Event, EventData, EventOf } from "../core/event.ts";
import type { TaskOutcome } from "../core/task-outcome.ts";
import { Told } from "./transcript.ts";

/** What the log tells of one call. */
export interface CallState {
  readonly intent?: EventOf<"execute-start">;
  readonly end?: EventOf<"call-end">;
  readonly request?: EventData["approval-request"];
  /** Whether its tool called others. */
  readonly nested?: true;
}

/** What the log tells of work that a run gave away. */
export interface TaskState {
  readonly start: EventOf<"task-start">;
  readonly steps: readonly EventOf<"task-progress">[];
  readonly outcome?: TaskOutcome;
  /** Whether the run has heard of the outcome. */
  readonly isTold?: true;
}

/** What the log of one session tells of its runs and their calls. `events` are all of its events, in order. */
export class RunLog {
  /** What it tells of their conversations. */
  readonly told: Told;
  /** The number of the newest event. */
  readonly newest: number;
  readonly #runs = new Map<string, Event[]>();
  readonly #calls = new Map<string, CallState>();
  readonly #tasks = new Map<string, TaskState>();
  /** The messages that runs have not read, by their ids. */
  readonly #letters = new Map<string, EventOf<"mailbox-change">>();
  readonly #answered = new Set<string>();
  readonly #takenOver: number[] = [];
  /** Which run made a call, and which runs a call started. */
  readonly #callers = new Map<string, string>();
  readonly #startedBy = new Map<string, string[]>();
  readonly #children = new Map<string, string[]>();

  constructor(events: readonly Event[]) {
    this.told = new Told(events);
    this.newest = events.at(-1)?.seq ?? 0;
    for (const event of events) {
      const { run, call, parent } = event;
      if (event.type === "run-progress") this.#takenOver.push(event.seq);
      if (event.type === "approval-response") this.#answered.add(event.data.id);
      if (call !== undefined) this.#noteCall(call, event);
      this.#noteTask(event);
      if (event.type === "mailbox-change") this.#letters.set(event.data.letter, event);
      if (event.type === "transcript-change") this.#letters.delete(event.data.letter ?? "");
      if (run === undefined) continue;
      if (event.type === "run-start" && parent !== undefined) {
        add(this.#startedBy, parent, run);
        add(this.#children, this.#callers.get(parent) ?? "", run);
      }
      if (event.type === "run-start" || this.#runs.has(run)) add(this.#runs, run, event);
    }
  }

  /** The runs, in the order in which they began. */
  get runs(): readonly string[] {
    return [...this.#runs.keys()];
  }

  call(id: string): CallState {
    return this.#calls.get(id) ?? {};
  }

  /** The run that made a call. */
  callerOf(call: string): string | undefined {
    return this.#callers.get(call);
  }

  /** The runs that a call started, in their order. */
  startedBy(call: string): readonly string[] {
    return this.#startedBy.get(call) ?? [];
  }

  /** The runs that a run started, in their order. */
  childrenOf(run: string): readonly string[] {
    return this.#children.get(run) ?? [];
  }

  /** The work that a run gave away, in its order. */
  tasksOf(run: string): readonly TaskState[] {
    return [...this.#tasks.values()].filter(({ start }) => start.run === run);
  }

  /** The messages for a run that it has not read, in their order. */
  lettersTo(run: string): readonly EventData["mailbox-change"][] {
    return [...this.#letters.values()].flatMap((event) => (event.run === run ? [event.data] : []));
  }

  /** The calls of a run that were begun and have no end. */
  openCallsOf(run: string): readonly string[] {
    return [...this.#callers].flatMap(([id, caller]) => {
      const { intent, end } = this.call(id);
      return caller === run && intent && !end ? [id] : [];
    });
  }

  /** The approval requests of a run's calls that nobody has answered. */
  openRequestsOf(run: string): readonly { readonly call: string; readonly id: string }[] {
    return [...this.#callers].flatMap(([call, caller]) => {
      const { request } = this.call(call);
      return caller === run && request && !this.#answered.has(request.id) ? [{ call, id: request.id }] : [];
    });
  }

  start(run: string): EventOf<"run-start"> | undefined {
    return this.#runs.get(run)?.[0] as EventOf<"run-start"> | undefined;
  }

  end(run: string): EventOf<"run-end"> | undefined {
    return this.#runs.get(run)?.findLast((event) => event.type === "run-end");
  }

  /** The process that had a run last. */
  owner(run: string): string | undefined {
    const taken = this.#runs.get(run)?.findLast(({ type }) => type === "run-start" || type === "run-progress");
    return (taken?.data as EventData["run-progress"] | undefined)?.process;
  }

  /** The events of a run itself, in their order. */
  eventsOf(run: string): readonly Event[] {
    return this.#runs.get(run) ?? [];
  }

  /** The numbers of the events with which processes took runs over. */
  get takenOver(): readonly number[] {
    return this.#takenOver;
  }

  #noteCall(id: string, event: Event): void {
    const known = this.#calls.get(id) ?? {};
    if (event.run !== undefined) this.#callers.set(id, event.run);
    if (event.type === "call-start") {
      this.#calls.set(id, known);
      if (event.parent !== undefined) this.#calls.set(event.parent, { ...this.call(event.parent), nested: true });
    }
    if (event.type === "execute-start") this.#calls.set(id, { ...known, intent: event });
    if (event.type === "call-end") this.#calls.set(id, { ...known, end: event });
    if (event.type === "approval-request") this.#calls.set(id, { ...known, request: event.data });
  }

  #noteTask(event: Event): void {
    const { type } = event;
    if (type === "task-start") this.#tasks.set(event.data.task, { start: event, steps: [] });
    if (type !== "task-progress" && type !== "task-end" && type !== "transcript-change") return;
    const known = this.#tasks.get(event.data.task ?? "");
    if (!known) return;
    const note = (more: Partial<TaskState>) => this.#tasks.set(known.start.data.task, { ...known, ...more });
    if (type === "task-progress") note({ steps: [...known.steps, event] });
    if (type === "transcript-change") note({ isTold: true });
    if (type === "task-end") {
      const { task: _, ...outcome } = event.data;
      note({ outcome });
    }
  }
}

function add<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const present = map.get(key);
  if (present) present.push(value);
  else map.set(key, [value]);
}
