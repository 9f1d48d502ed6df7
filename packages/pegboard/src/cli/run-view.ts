import { setImmediate } from "node:timers/promises";
import type { Event, EventData } from "../core/event.ts";
import type { Run } from "../core/run.ts";
import { createAnswerStream } from "./answer-stream.ts";
import { describeRunEvent, type Line, textOf } from "./run-line.ts";
import { type Terminal, visible, visibleLine } from "./terminal.ts";
import { announceApproval } from "./waiting.ts";

/** Shows runs while they work. */
export interface RunView {
  /** Shows a run until it ends. */
  follow(run: Run): Promise<void>;
  /** Asks a person something, and shows nothing else until there is an answer. */
  during<T>(ask: () => T | Promise<T>): Promise<T>;
}

/** How runs are shown. */
export interface RunViewOptions {
  readonly terminal: Terminal;
  /** Whether what the agent says goes to standard output as it comes. */
  readonly streams: boolean;
  /** Whether approval requests wait for an answer from elsewhere. */
  readonly waits: boolean;
}

/**
 * Shows what an agent says as it says it, and on standard error what it and those below it do: a line each, indented by
 * depth, with the name of the one who does it.
 */
export function createRunView({ terminal, streams, waits }: RunViewOptions): RunView {
  const answer = createAnswerStream(terminal);
  const names = createNames();
  let asking: Promise<unknown> = Promise.resolve();

  function show(event: Event, isOwn: boolean): void {
    if (event.type === "model-delta") {
      if (isOwn && streams) answer.write(event.data.text ?? "");
      return;
    }
    const line = describeRunEvent(event, isOwn);
    if (line || event.type === "turn-end") answer.end();
    if (line) terminal.note(toLine(line, event, isOwn ? undefined : names(event), terminal));
    if (event.type === "turn-end" && isOwn && !streams) noteAside(event.data);
    if (event.type === "approval-request" && waits) announceApproval(event.data, terminal);
  }

  // What is said beside calls is not the answer.
  function noteAside({ message, reason }: EventData["turn-end"]): void {
    const text = textOf(message);
    if (reason === "calls" && text.trim() !== "") terminal.note(visible(text.trimEnd()));
  }

  return {
    async follow(run) {
      for await (const event of run) {
        await asking;
        show(event, event.run === run.id);
      }
      answer.end();
    },
    async during(ask) {
      // Later, so that what led to the question is shown before it.
      await setImmediate();
      const asked = (async () => ask())();
      asking = Promise.allSettled([asking, asked]);
      return asked;
    },
  };
}

const WIDTH = 200;

function toLine({ mark, style, text }: Line, event: Event, name: string | undefined, terminal: Terminal): string {
  const { chain = [] } = event;
  const indent = "  ".repeat(Math.max(0, chain.length - 1));
  const most = (terminal.columns ?? WIDTH) - indent.length - 2;
  const line = visibleLine(name === undefined ? text : `${name}: ${text}`);
  return `${indent}${terminal.style(style, mark)} ${line.length <= most ? line : `${line.slice(0, Math.max(0, most - 1))}…`}`;
}

/** Names the runs below: by their agent, and from the second run of it on by its number too, for they may be at work at once. */
function createNames(): (event: Event) => string {
  const known = new Map<string, string>();
  const counts = new Map<string, number>();
  return ({ run = "", chain = [] }) => {
    const before = known.get(run);
    if (before !== undefined) return before;
    const agent = chain.at(-1) ?? "";
    const count = (counts.get(agent) ?? 0) + 1;
    counts.set(agent, count);
    const name = count === 1 ? agent : `${agent}#${count}`;
    known.set(run, name);
    return name;
  };
}
