import { expect } from "vitest";
import type { Event, Result } from "../../src/index.ts";

const MEBIBYTE = 1024 * 1024;

/** What the caller and the log must show after the call of a hostile tool; beside it only `neighbour` is called. */
export type Expectation = (result: Result, events: readonly Event[]) => void;

/** By case, wherever the tool runs. Cases without an entry must succeed. */
export const EXPECTED: Record<string, Expectation> = {
  HT001: failsWith(/string length/i),
  HT002: (result, events) => {
    expect(result).toMatchObject({ ok: true, meta: { cut: { characters: 400e6, kept: MEBIBYTE } } });
    expect(textOf(result).slice(-200)).toMatch(
      /\[cut: the first 1048576 of 400000000 characters are shown; read on with read_result \{"handle":"[^"]+","offset":1048576\}\]$/,
    );
    expect(endOf(events).data).toMatchObject({
      result: { cut: true, characters: expect.any(Number), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(JSON.stringify(endOf(events)).length).toBeLessThan(MEBIBYTE / 8);
  },
  HT003: ({ content }) => expect(content).toMatchObject([{ type: "resource", resource: { blob: "AP/+" } }]),
  HT005: (result) => expect(textOf(result)).toBe("null"),
  HT006: failsWith(/function, which has no JSON form/),
  HT008: ({ structured }) => expect(structured).toEqual({ n: "10" }),
  HT009: ({ structured }) => expect(structured).toEqual({ a: null, b: null }),
  HT011: failsWith(/throws when it is read|gotcha/),
  HT012: failsWith(/throws when it is read/),
  HT013: (result, events) => {
    expect(result.structured).toEqual({ v: 1 });
    expect(endOf(events).data).toMatchObject({ result: { structured: { v: 1 } } });
  },
  HT014: (result) => expect(textOf(result)).toBe("one"),
  HT015: failsWith(/did not answer within/),
  HT017: ({ meta, structured }) => expect([meta.cut?.kept, structured]).toEqual([MEBIBYTE, undefined]),
  HT018: failsWith(/nested deeper than/),
  HT019: (result) => expect(textOf(result)).toContain("\u001b[2J"),
  HT022: (result) => expect(textOf(result)).toBe("\ufffd x \ufffd"),
  HT023: (result) => expect(textOf(result)).toBe("a\u0000b"),
  HT025: failsWith(/block 0: data must be base64/),
  HT027: failsWith(/^boom$/),
  HT028: failsWith(/^boom$/),
  HT029: failsWith(/without saying why/),
  HT030: failsWith(/without saying why/),
  HT031: failsWith(/"code":1/),
  HT033: failsWith(/^x$/),
  HT034: failsWith(/^m$/),
  HT036: (result, events) => {
    failsWith(/ENOENT/)(result, events);
    expect(endOf(events).data).toMatchObject({
      error: { message: "ENOENT /home/u/.aws/credentials [redacted credential]" },
    });
    expect(JSON.stringify(events)).not.toContain("AKIAIOSFODNN7EXAMPLE");
  },
  HT042: failsWith(/did not answer within/),
  HT046: failsWith(/did not answer within/),
  HT048: (_, events) => expect(events.filter(({ type }) => type === "call-progress").length).toBeLessThan(100),
  HT050: (_, events) => {
    for (const { data } of events) expect(JSON.stringify(data)).not.toContain("/etc/passwd");
  },
  HT053: (_, events) => expect(JSON.stringify(events)).not.toContain("polluted"),
  HT051: (result) => expect(textOf(result)).toBe("undefined"),
};

/** The call succeeded. */
export function succeeds(result: Result): void {
  expect(result.error).toBeUndefined();
}

/** The call failed, and the model reads why. */
export function failsWith(message: RegExp): Expectation {
  return (result) => {
    expect(result).toMatchObject({ ok: false, error: { message: expect.stringMatching(message) } });
    expect(textOf(result)).toBe(result.error?.message);
  };
}

/** All text of a result. */
export function textOf({ content }: Result): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

function endOf(events: readonly Event[]): Event {
  return events.find(({ type, data }) => type === "call-end" && (data as { tool: string }).tool !== "neighbour")!;
}
