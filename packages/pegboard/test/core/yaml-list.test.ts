import { describe, expect, test } from "vitest";
import { addToList, removeFromList } from "../../src/core/yaml-list.ts";

const FILE = `version: 1 # the first
# about plugins
plugins: # here
  disabled: # why
    - a # one
    - b
  # the end of plugins

# about policy
policy: { rules: [{tool: "*"}] }
`;

const DISABLED = ["plugins", "disabled"];

describe("a list in a text", () => {
  test.each([
    ["gets an item behind the last", FILE, DISABLED, FILE.replace("    - b\n", "    - b\n    - new\n")],
    [
      "is made where its map is",
      FILE,
      ["plugins", "off", "kit", "tools"],
      FILE.replace("    - b\n", "    - b\n  off:\n    kit:\n      tools:\n        - new\n"),
    ],
    ["is made with its map", "version: 1\n# end\n", DISABLED, "version: 1\n# end\nplugins:\n  disabled:\n    - new\n"],
    ["is made in an empty text", "", ["disabled"], "disabled:\n  - new\n"],
    ["is made behind a line without an end", "version: 1", ["disabled"], "version: 1\ndisabled:\n  - new\n"],
    ["in one line gets an item", "a: [x,  y] # z\n", ["a"], "a: [x,  y, new] # z\n"],
    ["that is empty gets an item", "a: [] # z\n", ["a"], "a: [new] # z\n"],
    ["is made in a map in one line", "p: { a: [x] }\n", ["p", "b"], "p: { a: [ x ], b: [ new ] }\n"],
    ["is made where nothing stands behind the key", "p:\nq: 1\n", ["p"], "p:\n  - new\nq: 1\n"],
  ])("%s", (_, text, path, expected) => {
    expect(addToList(text, path, "new")).toBe(expected);
    expect(addToList(expected, path, "new")).toBe(expected);
  });

  test.each([
    ["loses an item with its line", FILE, DISABLED, "a", FILE.replace("    - a # one\n", "")],
    ["stays as it is without it", FILE, DISABLED, "c", FILE],
    ["in one line loses an item", "a: [x,  y] # z\n", ["a"], "x", "a: [y] # z\n"],
    [
      "goes with its last item, and so does the map around it",
      "v: 1\np:\n  q:\n    - x\n# c\nr: 1\n",
      ["p", "q"],
      "x",
      "v: 1\n# c\nr: 1\n",
    ],
    [
      "goes with its last item, and a map with more stays",
      "p:\n  q:\n    - x # one\n  r: 1\n",
      ["p", "q"],
      "x",
      "p:\n  r: 1\n",
    ],
    ["in one line goes with its last item", "v: 1\np:\n  q: [x]\n", ["p", "q"], "x", "v: 1\n"],
  ])("%s when one is removed", (_, text, path, item, expected) => {
    expect(removeFromList(text, path, item)).toBe(expected);
  });

  test("holds a text that would be something else without quotes", () => {
    expect(addToList("", ["a"], "true")).toBe('a:\n  - "true"\n');
    expect(removeFromList('a: ["true", true]\n', ["a"], "true")).toBe("a: [true]\n");
  });

  test("is not changed in a text that cannot be read", () => {
    expect(() => addToList("a: [", ["a"], "x")).toThrow(/Flow sequence/);
    expect(() => removeFromList("a: [", ["a"], "x")).toThrow(/Flow sequence/);
  });
});
