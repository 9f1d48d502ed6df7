import { expect, test } from "vitest";
import { fillCommand } from "../../src/core/command-prompt.ts";

test.each([
  ["Fix $ARGUMENTS now", "a b", "Fix a b now"],
  ["Fix $1 then $2", "'a b' c", "Fix a b then c"],
  ["Fix $1 and $3.", "a", "Fix a and ."],
  ["It costs $100, $ARGUMENTSX", "a", "It costs $100, $ARGUMENTSX\n\na"],
  ["Review", "the last commit", "Review\n\nthe last commit"],
  ["Review", " ", "Review"],
  ["Say $1", "$2 $ARGUMENTS", "Say $2"],
  ["Say $ARGUMENTS", "$& $1", "Say $& $1"],
])("%j with %j is %j", (prompt, given, filled) => {
  expect(fillCommand({ prompt }, given)).toBe(filled);
});

test("words that are words already are not taken apart", () => {
  expect(fillCommand({ prompt: "$1, then $2: $ARGUMENTS" }, ["a b", "c"])).toBe("a b, then c: a b c");
});
