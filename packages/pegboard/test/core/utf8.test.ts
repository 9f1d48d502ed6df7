import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sha256 } from "../../src/core/json.ts";
import { detach, toPassingBytes } from "../../src/core/utf8.ts";

const TEXTS = ["", "plain", "grün €10 𝄞", "\uFEFFmarked", "x".repeat(300_000), "€".repeat(200_000)];

test.each(TEXTS)("a detached text is the same text, also one that begins with a mark (%#)", (text) => {
  expect(detach(text) === text).toBe(true);
});

test("a detached text is well-formed", () => {
  expect(detach("a\uD800b")).toBe("a\uFFFDb");
});

test.each(TEXTS)("the bytes of a text are its UTF-8, whatever came before (%#)", (text) => {
  toPassingBytes("something longer ".repeat(1_000));
  expect(Buffer.from(text).equals(toPassingBytes(text))).toBe(true);
});

test("digests of several texts at once do not get in each other's way", async () => {
  const texts = Array.from({ length: 50 }, (_, index) => `${index}`.repeat(1 + index * 500));
  const expected = texts.map((text) => createHash("sha256").update(text).digest("hex"));
  expect(await Promise.all(texts.map(sha256))).toEqual(expected);
});
