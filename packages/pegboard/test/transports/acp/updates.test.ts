import { describe, expect, it } from "vitest";
import type { Event, EventData, EventType } from "../../../src/index.ts";
import { createUpdates } from "../../../src/transports/acp/updates.ts";

const NO_TOOLS = { find: () => undefined, realPath: () => undefined };

function event<Type extends EventType>(type: Type, data: EventData[Type], about: Partial<Event> = {}): Event {
  return { v: 1, seq: 0, at: 0, session: "s", run: "r", type, data, ...about } as Event;
}

const delta = (text: string, run = "r") => event("model-delta", { turn: 1, text }, { run });

function end(text: string): Event {
  const message = { role: "assistant" as const, content: [{ type: "text" as const, text }] };
  return event("turn-end", { turn: 1, message, reason: "stop", ms: 0, usage: { input: 0, output: 0 } });
}

/** The words of the answer that come of these events, each with its message. */
function told(...events: readonly Event[]): [string, string][] {
  const toUpdates = createUpdates({ run: "r", tools: NO_TOOLS, terminalOf: () => undefined });
  return events.flatMap(toUpdates).map((update: any) => [update.content.text, update.messageId]);
}

describe("what a client is told of an answer", () => {
  it("is every piece once", () => {
    expect(told(delta("It "), delta("works"), end("It works"))).toEqual([
      ["It ", "r.1"],
      ["works", "r.1"],
    ]);
  });

  it("is completed when pieces were missed at its end, and told whole as another message when others were", () => {
    expect(told(delta("It "), end("It works"))).toEqual([
      ["It ", "r.1"],
      ["works", "r.1"],
    ]);
    expect(told(end("It works"))).toEqual([["It works", "r.1"]]);
    expect(told(delta("works"), end("It works")).at(-1)).toEqual(["It works", "r.1.1"]);
  });

  it("begins again as another message when the model is asked again", () => {
    const error = { code: "unavailable" as const, message: "try again" };
    const again = event("turn-progress", { turn: 1, retry: 1, waitMs: 0, error });
    expect(told(delta("It br"), again, delta("It works"), end("It works"))).toEqual([
      ["It br", "r.1"],
      ["It works", "r.1.1"],
    ]);
  });

  it("holds no words of agents that were asked by the one", () => {
    expect(told(delta("Inner", "other"), delta("Outer"), end("Outer"))).toEqual([["Outer", "r.1"]]);
  });
});
