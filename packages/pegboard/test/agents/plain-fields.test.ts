import fc from "fast-check";
import { expect, test } from "vitest";
import { readPlainFields } from "../../src/agents/plain-fields.ts";
import { readYaml } from "../../src/agents/yaml-fields.ts";

const common = fc.constantFrom(...Array.from("abZ09 :,.;!?'\"()<>/\\_+=$%&*@~|^-[]{}`"));
const odd = fc.constantFrom(
  "#",
  "\t",
  "\n",
  " ",
  "true",
  "null",
  "No",
  "a: ",
  " #",
  "key: ",
  "name: x\n",
  "é",
  "\u2028",
  "\u0007",
  "---",
  "...",
  "<<: ",
  "? ",
  "- ",
);
const piece = fc.oneof({ weight: 12, arbitrary: common }, { weight: 1, arbitrary: odd });
const line = fc.tuple(
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom("name", "tools", "x-y", "_", "on", "null") },
    { weight: 1, arbitrary: fc.constantFrom("__proto__", "a b", "'q'") },
  ),
  fc.oneof({ weight: 8, arbitrary: fc.constant(": ") }, { weight: 1, arbitrary: fc.constantFrom(":", " : ", ":  ") }),
  fc.tuple(fc.constantFrom("a", "T", "True", "null", "", "-"), fc.array(piece, { maxLength: 8 })),
);

test("a front matter that is read without YAML says what YAML says, at the same places", () => {
  let plain = 0;
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 3 }), (lines) => {
      const text = lines.map((parts) => `${parts.flat(2).join("")}\n`).join("");
      const fields = readPlainFields(text, 2);
      if (!fields) return;
      plain++;
      const yaml = readYaml(text, 2);
      if (!yaml.ok) throw new Error(`no YAML: ${JSON.stringify(text)}`);
      const told = (field: (typeof fields)[number]) => ({ path: field.path, value: field.value, place: field.place() });
      expect(fields.map(told)).toEqual(yaml.fields.map(told));
    }),
    { numRuns: 5_000 },
  );
  expect(plain).toBeGreaterThan(200);
});
