import { setImmediate } from "node:timers/promises";
import type { Event, EventData } from "../core/event.ts";
import type { Message } from "../core/model.ts";
import type { Redactor } from "../core/redact.ts";
import type { Run } from "../core/run.ts";
import { createAnswerStream } from "./answer-stream.ts";
import { type Style, type Terminal, visible, visibleLine } from "./terminal.ts";
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
  readonly redactor: Redactor;
  /** Whether what the agent says goes to standard output as it comes. */
  readonly streams: boolean;
  /** Whether approval requests wait for an answer from elsewhere. */
  readonly waits: boolean;
}

/** Shows what an agent says as it says it, and what it does on standard error, a line each. */
export function createRunView({ terminal, redactor, streams, waits }: RunViewOptions): RunView {
  const answer = createAnswerStream(terminal, redactor);
  let asking: Promise<unknown> = Promise.resolve();

  function show(event: Event, isOwn: boolean): void {
    if (event.type === "model-delta") {
      if (isOwn && streams) answer.write(event.data.text ?? "");
      return;
    }
    const line = describe(event);
    if (line || event.type === "turn-end") answer.end();
    if (line) terminal.note(toLine(line, event, terminal));
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

interface Line {
  readonly mark: string;
  readonly style: Style;
  readonly text: string;
}

function describe(event: Event): Line | undefined {
  switch (event.type) {
    case "call-start":
      return { mark: ">", style: "cyan", text: `${event.data.tool} ${JSON.stringify(event.data.input)}` };
    case "call-progress":
      return { mark: "…", style: "dim", text: event.data.message };
    case "call-end":
      return describeEnd(event.data);
    case "turn-progress": {
      const { waitMs, error } = event.data;
      return { mark: "!", style: "yellow", text: `again in ${(waitMs / 1000).toFixed(1)} s: ${error.message}` };
    }
    case "transcript-change":
      return { mark: "!", style: "yellow", text: describeChange(event.data) };
    default:
      return undefined;
  }
}

function describeEnd({ tool, ok, ms, error, result }: EventData["call-end"]): Line {
  if (!ok) return { mark: "x", style: "red", text: `${tool} ${error?.code}: ${error?.message}` };
  const texts =
    "cut" in result
      ? [result.preview]
      : result.content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`));
  return { mark: "<", style: "green", text: `${tool} (${Math.round(ms)} ms) ${texts.join(" ")}` };
}

function describeChange({ added, replaced, shortened }: EventData["transcript-change"]): string {
  if (replaced) return `the conversation is too long: its first ${replaced.messages} messages became a summary`;
  if (shortened !== undefined) return `the conversation is too long: results were cut to ${shortened} characters`;
  return added ? textOf(added) : "the conversation was cleared";
}

function textOf(message: Message): string {
  if (message.role === "tool") return "the same calls as before, with the same results: not made again";
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

const WIDTH = 200;

function toLine({ mark, style, text }: Line, { chain = [] }: Event, terminal: Terminal): string {
  const indent = "  ".repeat(Math.max(0, chain.length - 1));
  const most = (terminal.columns ?? WIDTH) - indent.length - 2;
  const line = visibleLine(text);
  return `${indent}${terminal.style(style, mark)} ${line.length <= most ? line : `${line.slice(0, Math.max(0, most - 1))}…`}`;
}
