import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { Event, EventOf } from "../../core/event.ts";
import { type KnownTools, toShownCall, toShownResult, toText } from "./tool-call.ts";

/** What the updates of a run are made with. */
export interface UpdatesDeps {
  /** The run whose words are the answer. Of what it started, only the calls are told. */
  readonly run: string;
  readonly tools: KnownTools;
  /** The terminal that a call has opened at the client. */
  terminalOf(call: string): string | undefined;
}

/** Makes what clients are told of each event of a run; the events must come in order. There are no secrets in them. */
export function createUpdates({ run, tools, terminalOf }: UpdatesDeps): (event: Event) => readonly SessionUpdate[] {
  /** What the client has of the answer that is being given. */
  let told = "";
  /** How often it was begun again: each time it is another message, for what was said cannot be taken back. */
  let begun = 0;

  function think(text: string, turn: number): SessionUpdate[] {
    return text === "" ? [] : [chunk("agent_thought_chunk", text, `${messageId(turn)}.thought`)];
  }

  function say(text: string, turn: number): SessionUpdate[] {
    if (text === "") return [];
    told += text;
    return [chunk("agent_message_chunk", text, messageId(turn))];
  }

  const messageId = (turn: number) => [run, turn, ...(begun > 0 ? [begun] : [])].join(".");

  function finish({ data: { turn, message } }: EventOf<"turn-end">): SessionUpdate[] {
    const parts = message.role === "assistant" ? message.content : [];
    const whole = parts.reduce((text, part) => (part.type === "text" ? text + part.text : text), "");
    // A client that was slow may have missed pieces. What it has is the beginning, or it gets all as another message.
    const isBeginning = whole.startsWith(told);
    if (!isBeginning) begun++;
    const rest = say(isBeginning ? whole.slice(told.length) : whole, turn);
    told = "";
    begun = 0;
    return rest;
  }

  function toContent(call: string, { data: { tool, result } }: EventOf<"call-end">) {
    const terminalId = terminalOf(call);
    return terminalId === undefined ? toShownResult(tool, result, tools) : [{ type: "terminal" as const, terminalId }];
  }

  return (event) => {
    const own = event.run === run;
    const toolCallId = event.call ?? "";
    switch (event.type) {
      case "model-delta": {
        if (!own) return [];
        const { turn, text = "", reasoning = "" } = event.data;
        return [...think(reasoning, turn), ...say(text, turn)];
      }
      case "turn-progress":
        if (!own) return [];
        told = "";
        begun++;
        return [];
      case "turn-end":
        return own ? finish(event) : [];
      case "call-start": {
        const { tool, input } = event.data;
        const shown = toShownCall(tool, input, tools);
        return [{ sessionUpdate: "tool_call", toolCallId, status: "pending", ...shown, rawInput: input }];
      }
      case "execute-start":
        return [{ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" }];
      case "call-progress":
        return [{ sessionUpdate: "tool_call_update", toolCallId, content: [toText(event.data.message)] }];
      case "call-end": {
        const { ok, result } = event.data;
        const structured = "cut" in result ? undefined : result.structured;
        return [
          {
            sessionUpdate: "tool_call_update",
            toolCallId,
            status: ok ? "completed" : "failed",
            content: toContent(toolCallId, event),
            ...(structured !== undefined && { rawOutput: structured }),
          },
        ];
      }
      default:
        return [];
    }
  };
}

function chunk(
  sessionUpdate: "agent_message_chunk" | "agent_thought_chunk",
  text: string,
  messageId: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: "text", text }, messageId };
}
