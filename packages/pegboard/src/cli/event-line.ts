import type { Event, EventData, EventType } from "../core/event.ts";
import type { Cell } from "./table.ts";
import { type Terminal, visibleLine } from "./terminal.ts";
import { describeTime } from "./time.ts";

/** What matters in the data of each type, in a few words. */
const ESSENTIALS: { readonly [Type in EventType]: (data: EventData[Type]) => string } = {
  "session-start": ({ client, principal }) => `${client}, as ${principal}`,
  "session-end": ({ calls }) => `${calls} ${calls === 1 ? "call" : "calls"}`,
  "call-start": ({ caller, input }) => `by ${caller}: ${JSON.stringify(input)}`,
  "execute-start": ({ decision, by, rule }) => `${decision}, by ${by}${rule === undefined ? "" : `: ${rule}`}`,
  "call-progress": ({ message }) => message,
  "call-end": ({ ok, ms, error }) => `${ok ? "ok" : `failed: ${error?.code}`}, ${ms} ms`,
  "execute-end": ({ ok, ms }) => `late, ${ok ? "ok" : "failed"}, ${ms} ms`,
  "approval-request": ({ summary, reason }) => `${summary} (${reason})`,
  "approval-response": ({ decision, by, remember, note }) =>
    `${decision}, by ${by}${remember === undefined ? "" : `, for ${remember}`}${note === undefined ? "" : `: ${note}`}`,
  "approvals-change": () => "what was remembered is forgotten",
  "tags-change": ({ on, off }) => [...on.map((tag) => `+${tag}`), ...off.map((tag) => `-${tag}`)].join(" "),
  "run-start": ({ agent, model }) => `${agent} on ${model}`,
  "run-progress": () => "goes on in another process",
  "run-change": ({ before }) => `waits until fewer are at work, ${before} before it`,
  "cancel-request": ({ run, by }) => `run ${run.slice(0, 8)}, by ${by}`,
  "turn-start": ({ turn, tools }) => `turn ${turn}${tools ? `, ${tools.length} tools` : ""}`,
  "model-delta": ({ text, reasoning }) => text ?? reasoning ?? "",
  "turn-progress": ({ turn, retry, error }) => `turn ${turn} failed, try ${retry + 1}: ${error.message}`,
  "turn-end": ({ turn, reason, usage, cost }) =>
    `turn ${turn}: ${reason}, ${usage.input}+${usage.output} tokens${cost === undefined ? "" : `, $${cost.toFixed(4)}`}`,
  "transcript-change": ({ replaced, shortened, cleared }) =>
    cleared
      ? "cleared"
      : replaced
        ? `${replaced.messages} messages became a summary`
        : shortened === undefined
          ? "a message was added"
          : `results were cut to ${shortened} characters`,
  "mailbox-change": ({ text }) => text,
  "run-end": ({ agent, status, turns, calls, cost, error }) =>
    `${agent}: ${status}${error ? ` (${error.code}: ${error.message})` : ""}, ${turns} turns, ${calls} calls, $${cost.toFixed(4)}`,
  "task-start": ({ agent, mode, prompt }) => `${agent}, ${mode}: ${prompt}`,
  "task-progress": ({ state, iteration, note, verdict }) =>
    `${verdict ? (verdict.accepted ? "accepted" : "rejected") : state}, try ${iteration}${note === undefined ? "" : `: ${note}`}`,
  "task-end": ({ state, iterations, cost, error }) =>
    `${state}${error ? ` (${error.code}: ${error.message})` : ""}, ${iterations} tries, $${cost.toFixed(4)}`,
  "hook-end": ({ hook, plugin, severity, error }) =>
    `${severity}: ${hook}${plugin === undefined ? "" : ` of ${plugin}`}: ${error.message}`,
  "log-change": ({ sessions, events }) => `pruned: ${sessions} sessions, ${events} events`,
  "tools-change": ({ added, removed, changed }) =>
    [
      ...added.map((name) => `+${name}`),
      ...removed.map((name) => `-${name}`),
      ...changed.map(({ name }) => `~${name}`),
    ].join(" "),
};

/** Every type of event. */
export const EVENT_TYPES = Object.keys(ESSENTIALS) as EventType[];

/** One event as a row: when, in which session, what, which tool, what matters. */
export function describeEvent(event: Event, style: Terminal["style"]): readonly Cell[] {
  const { at, session, type, data } = event;
  // An event of a newer version has a type that this one does not know.
  const essentials = ESSENTIALS[type] as ((data: Event["data"]) => string) | undefined;
  const failed = type === "call-end" && !event.data.ok;
  return [
    { text: describeTime(at), show: (text) => style("dim", text) },
    { text: session.slice(0, 8) },
    { text: type, show: (text) => style("cyan", text) },
    { text: "tool" in data ? visibleLine(data.tool) : "", show: (text) => style("bold", text) },
    {
      text: visibleLine(essentials?.(data) ?? JSON.stringify(data)),
      show: (text) => (failed ? style("red", text) : text),
    },
  ];
}
