import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { Message } from "../../core/model.ts";
import { type KnownTools, toShownCall, toShownContent } from "./tool-call.ts";

/** A conversation of the log, as a client is told of it that was not there. */
export function* toReplay(messages: readonly Message[], tools: KnownTools): Generator<SessionUpdate> {
  // A model may use an id again.
  let calls = new Map<string, string>();
  for (const [index, message] of messages.entries()) {
    const messageId = `history.${index}`;
    if (message.role === "tool") {
      for (const { call, ok, content } of message.results) {
        const toolCallId = calls.get(call) ?? call;
        const status = ok ? "completed" : "failed";
        yield { sessionUpdate: "tool_call_update", toolCallId, status, content: toShownContent(content) };
      }
      continue;
    }
    calls = new Map();
    for (const part of message.content) {
      if (part.type === "call") {
        const toolCallId = `${messageId}.${calls.size}`;
        calls.set(part.id, toolCallId);
        const shown = toShownCall(part.tool, part.input, tools);
        yield { sessionUpdate: "tool_call", toolCallId, status: "pending", ...shown, rawInput: part.input };
      } else {
        const text = part.type === "file" ? `[${part.name ?? part.mimeType}]` : part.text;
        const sessionUpdate = message.role === "user" ? "user_message_chunk" : ASSISTANT[part.type as "text"];
        if (text !== "") yield { sessionUpdate, content: { type: "text", text }, messageId };
      }
    }
  }
}

const ASSISTANT = { text: "agent_message_chunk", reasoning: "agent_thought_chunk" } as const;
