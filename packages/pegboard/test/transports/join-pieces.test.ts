import { describe, expect, it } from "vitest";
import type { Event } from "../../src/index.ts";
import { joinPieces } from "../../src/transports/join-pieces.ts";

const piece = (data: { turn: number; text?: string; reasoning?: string }, run = "r") =>
  ({ v: 1, seq: 0, at: 0, type: "model-delta", session: "s", run, data }) as Event;

describe("pieces of an answer", () => {
  it("become one when nothing stands between them", () => {
    const joined = joinPieces(piece({ turn: 1, text: "It " }), piece({ turn: 1, text: "works" }));
    expect(joined).toMatchObject({ type: "model-delta", run: "r", data: { turn: 1, text: "It works" } });
    const thought = joinPieces(piece({ turn: 1, reasoning: "Hm" }), piece({ turn: 1, reasoning: "." }));
    expect(thought!.data).toEqual({ turn: 1, reasoning: "Hm." });
  });

  it.each([
    ["nothing before", undefined, piece({ turn: 1, text: "a" })],
    ["another turn", piece({ turn: 1, text: "a" }), piece({ turn: 2, text: "b" })],
    ["another run", piece({ turn: 1, text: "a" }), piece({ turn: 1, text: "b" }, "other")],
    ["a thought before words", piece({ turn: 1, reasoning: "a" }), piece({ turn: 1, text: "b" })],
    ["both at once", piece({ turn: 1, text: "a", reasoning: "b" }), piece({ turn: 1, text: "c" })],
    ["too much", piece({ turn: 1, text: "a".repeat(16_000) }), piece({ turn: 1, text: "b".repeat(1_000) })],
  ])("stay apart: %s", (_, last, next) => {
    expect(joinPieces(last, next)).toBeUndefined();
  });
});
