import { expect, it } from "vitest";
import { nearest } from "../../src/core/nearest.ts";

it.each([
  ["qury", ["query", "limit"], "query"],
  ["qeury", ["query"], "query"],
  ["Query", ["limit", "query"], "query"],
  ["read_fil", ["write_file", "read_file"], "read_file"],
  ["x", ["y"], undefined],
  ["id", ["is", "in"], "is"],
  ["colour", ["size", "weight"], undefined],
  ["", ["a"], undefined],
  ["a".repeat(65), ["a".repeat(65)], undefined],
])("%s among %j is %s", (name, candidates, expected) => {
  expect(nearest(name, candidates)).toBe(expected);
});
