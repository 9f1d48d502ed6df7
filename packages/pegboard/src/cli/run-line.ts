import type { Event, EventData } from "../core/event.ts";
import type { Message } from "../core/model.ts";
import { describeCost, describeSpent, describeWork } from "./run-result.ts";
import type { Style } from "./terminal.ts";

/** A line that tells of one event. */
export interface Line {
  readonly mark: string;
  readonly style: Style;
  readonly text: string;
}

/** What an event of a run is to whoever watches; undefined when nothing. A run that another started also begins and ends. */
export function describeRunEvent(event: Event, isOwn: boolean): Line | undefined {
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
      // What was given away comes back like the result of a call.
      if (event.data.task !== undefined) return { mark: "<", style: "green", text: describeChange(event.data) };
      return { mark: "!", style: "yellow", text: describeChange(event.data) };
    case "run-start":
      return isOwn ? undefined : { mark: "+", style: "cyan", text: `starts on ${event.data.model}` };
    case "run-change":
      return { mark: "…", style: "dim", text: `waits until fewer are at work, ${event.data.before} before it` };
    case "run-end":
      return isOwn ? undefined : describeRunEnd(event.data);
    case "task-progress": {
      const { state, iteration, note } = event.data;
      if (note === undefined) return undefined;
      return {
        mark: "!",
        style: "yellow",
        text: state === "running" ? `not accepted, try ${iteration}: ${note}` : note,
      };
    }
    case "task-end":
      return describeTaskEnd(event.data);
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

function describeRunEnd(data: EventData["run-end"]): Line {
  const { status, error } = data;
  const text = `${status}${error ? ` (${error.code}: ${error.message})` : ""} · ${describeWork(data)} · ${describeSpent(data)}`;
  return { mark: "=", style: error ? "red" : "green", text };
}

function describeTaskEnd({ task, state, iterations, cost, error }: EventData["task-end"]): Line {
  const tries = `${iterations} ${iterations === 1 ? "try" : "tries"}`;
  const text = `task ${task.slice(0, 8)} ${state}${error ? ` (${error.code}: ${error.message})` : ""} after ${tries} · ${describeCost(cost)}`;
  return { mark: "=", style: error ? "red" : "green", text };
}

function describeChange({ added, replaced, shortened }: EventData["transcript-change"]): string {
  if (replaced) return `the conversation is too long: its first ${replaced.messages} messages became a summary`;
  if (shortened !== undefined) return `the conversation is too long: results were cut to ${shortened} characters`;
  return added ? textOf(added) : "the conversation was cleared";
}

/** What a message says, in words. */
export function textOf(message: Message): string {
  if (message.role === "tool") return "the same calls as before, with the same results: not made again";
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
