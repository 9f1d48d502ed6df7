import { expect, it } from "vitest";
import { createEventReader } from "../../src/sources/mcp/event-stream.ts";

function read(...pieces: readonly string[]): string[] {
  const heard: string[] = [];
  const take = createEventReader(100, (text) => heard.push(text));
  for (const piece of pieces) take(piece);
  return heard;
}

it.each([
  ["line feeds", "data: one\n\ndata: two\n\n"],
  ["carriage returns", "data: one\r\rdata: two\r\r:"],
  ["both", "data: one\r\n\r\ndata: two\r\n\r\n"],
])("messages are told apart by %s, however they are cut into pieces", (_, text) => {
  expect(read(text)).toEqual(["one", "two"]);
  expect(read(...text.split(""))).toEqual(["one", "two"]);
});

it("lines of one message belong together, and what is no message is left out", () => {
  expect(
    read("data: a\ndata:b\n\n", "event: ping\ndata: c\n\n", ": d\n\nid: 1\n\n", "event: message\ndata: e\n\n"),
  ).toEqual(["a\nb", "e"]);
});

it("a message that does not end in time is refused", () => {
  expect(() => read(`data: ${"x".repeat(101)}`)).toThrow("longer than 100");
  expect(() => read(`data: ${"x".repeat(60)}\n`, `data: ${"x".repeat(60)}\n`)).toThrow("longer than 100");
});
