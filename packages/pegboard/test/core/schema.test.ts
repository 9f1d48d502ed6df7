import type { JsonSchema } from "@pegboard/contract";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { PegboardError } from "../../src/core/error.ts";
import { type Checked, compileSchema, describeProblems } from "../../src/core/schema.ts";

const check = async (schema: Parameters<typeof compileSchema>[0], value: unknown): Promise<Checked> =>
  compileSchema(schema).check(value);
const isValid = async (schema: JsonSchema, value: unknown): Promise<boolean> => (await check(schema, value)).ok;
const problemsOf = async (schema: Parameters<typeof compileSchema>[0], value: unknown): Promise<string> => {
  const checked = await check(schema, value);
  return checked.ok ? "" : describeProblems(checked.problems);
};
const refusal = (schema: unknown, options?: Parameters<typeof compileSchema>[1]): string => {
  try {
    compileSchema(schema as JsonSchema, options);
  } catch (error) {
    expect((error as PegboardError).code).toBe("invalid_definition");
    return (error as PegboardError).message;
  }
  return "";
};

describe("reading a schema", () => {
  it("keeps the very object that the author gave, unchanged", async () => {
    const schema = {
      type: "object",
      title: "T",
      properties: { a: { type: "string", default: "x", format: "email", "x-own": [1] } },
    };
    const before = JSON.stringify(schema);
    const compiled = compileSchema(schema);
    await compiled.check({});
    expect(compiled.json).toBe(schema);
    expect(JSON.stringify(schema)).toBe(before);
  });

  it("gives the same result for the same object and options, and another for others", () => {
    const schema = { type: "object" };
    expect(compileSchema(schema)).toBe(compileSchema(schema));
    expect(compileSchema(schema, { foreign: true })).not.toBe(compileSchema(schema));
  });

  it("refuses what is no schema", () => {
    for (const schema of [true, null, "{}", [], 1, undefined])
      expect(refusal(schema)).toContain("it must be an object");
    expect(refusal(new Date())).toContain("instance of Date");
    expect(refusal({ properties: { a: { default: () => 1 } } })).toContain(
      "#/properties/a/default: a function is not JSON",
    );
  });

  it.each([
    [{ properties: { a: { type: "file" } } }, "#/properties/a/type"],
    [{ properties: { "a/b": { maximum: "9" } } }, "#/properties/a~1b/maximum"],
    [{ properties: [] }, "#/properties"],
    [{ required: true }, "#/required"],
    [{ enum: "a" }, "#/enum"],
    [{ anyOf: [] }, "#/anyOf"],
    [{ items: { minLength: -1 } }, "#/items/minLength"],
    [{ items: "string" }, "#/items"],
    [{ multipleOf: 0 }, "#/multipleOf"],
    [{ $defs: { a: { type: 1 } } }, "#/$defs/a/type"],
    [{ pattern: "(" }, "#/pattern"],
    [{ $schema: "https://json-schema.org/draft/2020-12/schema", items: [{}] }, "#/items"],
  ])("tells where %j is wrong", (schema, pointer) => {
    expect(refusal(schema)).toContain(`wrong at ${pointer}:`);
  });

  it("refuses what is too large", () => {
    const nest = (depth: number): JsonSchema => (depth === 0 ? {} : { properties: { a: nest(depth - 1) } });
    const many = (count: number, each: object): JsonSchema => ({
      properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, each])),
    });
    expect(refusal(nest(63))).toBe("");
    expect(refusal(nest(64))).toContain("deeper than 64");
    expect(refusal({ description: "x".repeat(257 * 1024) })).toContain("256 KiB");
    expect(refusal({ pattern: "a".repeat(1_001) })).toContain("1000 characters");
    expect(refusal(many(1_999, {}))).toBe("");
    expect(refusal(many(2_000, {}))).toContain("2000 subschemas");
    expect(refusal(many(700, { type: "string" }))).toBe("");
    expect(refusal(many(1_000, { type: "string", minLength: 1 }))).toContain("too large to compile");
    const circle: Record<string, unknown> = {};
    circle.not = circle;
    expect(refusal(circle)).toContain("deeper");
  });

  it("asks for an object at the root of an input", () => {
    const root = "object";
    for (const schema of [
      { type: "object" },
      { type: ["object"] },
      {},
      { properties: {} },
      { $ref: "#/$defs/a", $defs: { a: {} } },
    ]) {
      expect(refusal(schema, { root })).toBe("");
    }
    for (const schema of [{ type: "array" }, { type: ["object", "null"] }, { items: {} }, { const: 1 }]) {
      expect(refusal(schema, { root })).toContain('the root must have the type "object"');
    }
  });

  it("lets no other value pass where the root must be an object and does not say so", async () => {
    expect((await compileSchema({ properties: {} }, { root: "object" }).check([])).ok).toBe(false);
  });
});

describe("references", () => {
  const tree = {
    $ref: "#/$defs/node",
    $defs: { node: { type: "object", properties: { kids: { items: { $ref: "#/$defs/node" } } } } },
  };

  it("are followed to definitions, anchors, addresses and any other place of the schema", async () => {
    for (const [$ref, more] of [
      ["#/$defs/a%20b", { $defs: { "a b": { type: "string" } } }],
      ["#name", { $defs: { a: { $anchor: "name", type: "string" } } }],
      ["#name", { definitions: { a: { $id: "#name", type: "string" } } }],
      ["item.json", { $id: "https://example.test/root.json", $defs: { a: { $id: "item.json", type: "string" } } }],
      ["item.json#/$defs/b", { $defs: { a: { $id: "item.json", $defs: { b: { type: "string" } } } } }],
      ["dir/a.json", { $defs: { a: { $id: "dir/a.json", $ref: "b.json" }, b: { $id: "dir/b.json", type: "string" } } }],
      ["#/components/schemas/A", { components: { schemas: { A: { type: "string" } } } }],
    ] as const) {
      const schema = { properties: { a: { $ref } }, ...more };
      expect(await isValid(schema, { a: "x" })).toBe(true);
      expect(await isValid(schema, { a: 1 })).toBe(false);
    }
  });

  it("may lead back as long as they go down in the value", async () => {
    expect(await isValid(tree, { kids: [{ kids: [] }] })).toBe(true);
    expect(await problemsOf(tree, { kids: [{ kids: [1] }] })).toBe("/kids/0/kids/0: must be object, is number");
    expect(await isValid({ type: "object", properties: { a: { $ref: "#" } } }, { a: { a: 1 } })).toBe(false);
    expect(
      await isValid({ $dynamicAnchor: "n", type: "object", properties: { a: { $dynamicRef: "#n" } } }, { a: 1 }),
    ).toBe(false);
  });

  it("that never end, or lead out of the schema, are refused", () => {
    expect(refusal({ $ref: "#" })).toContain("leads back to itself");
    expect(refusal({ $ref: "#/$defs/a", $defs: { a: { anyOf: [{}, { $ref: "#/$defs/a" }] } } })).toContain("#/$defs/a");
    for (const $ref of [
      "https://example.test/x",
      "../x.json",
      "file:///etc/passwd",
      "#/none",
      "#none",
      "#/__proto__",
      "#/constructor",
    ]) {
      expect(refusal({ items: { $ref } })).toContain("#/items/$ref");
    }
  });

  it("of two schemas with one $id do not mix", async () => {
    const $id = "https://example.test/same";
    const first = {
      $id,
      type: "object",
      properties: { a: { $ref: `${$id}#/$defs/x` } },
      $defs: { x: { type: "string" } },
    };
    const second = {
      $id,
      type: "object",
      properties: { a: { $ref: `${$id}#/$defs/x` } },
      $defs: { x: { type: "number" } },
    };
    expect([await isValid(first, { a: "x" }), await isValid(second, { a: 1 })]).toEqual([true, true]);
    expect([await isValid(first, { a: 1 }), await isValid(second, { a: "x" })]).toEqual([false, false]);
  });
});

describe("dialects", () => {
  it("names the supported ones when it refuses another", () => {
    expect(refusal({ $schema: "http://json-schema.org/draft-04/schema#" })).toMatch(
      /#\/\$schema.*2020-12.*2019-09.*draft-07.*draft-06/,
    );
  });

  it.each([undefined, "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema"])(
    "understand the forms of draft-07 under $schema %s",
    async ($schema) => {
      const schema = {
        $schema,
        items: [{ type: "string" }],
        additionalItems: false,
        dependencies: { a: ["b"], c: { required: ["d"] } },
      };
      expect(await isValid(schema, ["x"])).toBe(true);
      expect(await isValid(schema, [1])).toBe(false);
      expect(await isValid(schema, ["x", "y"])).toBe(false);
      expect(await problemsOf(schema, { a: 1, c: 1 })).toBe('missing "b", which "a" needs\nmissing "d"');
    },
  );

  it("check what is of 2020-12, and leave out what an older one does not know", async () => {
    const tuple = { prefixItems: [{ type: "string" }], items: false };
    expect(await isValid(tuple, ["x"])).toBe(true);
    expect(await isValid(tuple, ["x", 1])).toBe(false);
    const closed = { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false };
    expect(await isValid(closed, { a: 1 })).toBe(true);
    expect(await isValid(closed, { b: 1 })).toBe(false);
    expect(await isValid({ ...closed, $schema: "http://json-schema.org/draft-07/schema" }, { b: 1 })).toBe(true);
  });
});

describe("checking a value", () => {
  it("is synchronous once the engine is loaded", async () => {
    await compileSchema({ pattern: "a" }).check("a");
    expect(compileSchema({ type: "string", pattern: "b" }).check("b")).toEqual({ ok: true, value: "b" });
  });

  it("applies defaults, each time anew", async () => {
    const schema = {
      type: "object",
      properties: { list: { default: [] }, deep: { type: "object", properties: { n: { default: 1 } } } },
    };
    const first = (await check(schema, { deep: {} })) as { value: { list: unknown[] } };
    first.value.list.push(1);
    expect(await check(schema, { deep: {} })).toEqual({ ok: true, value: { list: [], deep: { n: 1 } } });
  });

  it("applies no default that would change a prototype", async () => {
    const schema = JSON.parse(
      '{"properties":{"a":{"default":{"b":{"__proto__":{"polluted":1}}}},"c":{"default":{}}}}',
    ) as JsonSchema;
    const value = JSON.parse('{"__proto__":1}') as object;
    expect(await check(schema, value)).toEqual({ ok: true, value: JSON.parse('{"__proto__":1,"c":{}}') });
    expect(refusal(JSON.parse('{"properties":{"__proto__":{}}}'))).toContain("__proto__");
  });

  it("counts only the value's own keys", async () => {
    expect(await problemsOf({ required: ["constructor", "toString"] }, {})).toBe(
      'missing "constructor"\nmissing "toString"',
    );
    expect(await isValid({ properties: { constructor: { type: "string" } } }, {})).toBe(true);
    expect(await isValid({ enum: [{ toString: 1 }] }, { toString: 1 })).toBe(true);
  });

  it("writes no name of the schema as code", async () => {
    for (const name of ['"];throw 1;//', "`${0}`", "a\nb", "\u2028", "\\", "');throw 1;('", "${", "*/", "__proto"]) {
      const schema = {
        properties: { [name]: { type: "string", pattern: "^x$", const: "x" } },
        required: [name],
        additionalProperties: false,
      };
      expect(await isValid(schema, { [name]: "x" })).toBe(true);
      expect(await isValid(schema, { [name]: "y" })).toBe(false);
      expect(await isValid(schema, {})).toBe(false);
    }
  });

  it("finds equal items whatever the order of their keys", async () => {
    const items = [{ a: 1, b: [{ c: "x", d: null }] }, 1, "1", { b: [{ d: null, c: "x" }], a: 1 }];
    expect(await problemsOf({ uniqueItems: true }, items)).toBe("items 0 and 3 are equal");
    expect(
      await isValid({ uniqueItems: true }, [0, false, null, "", "0", [], {}, [0], { a: 0 }, { a: [] }, "{}"]),
    ).toBe(true);
    const records = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `n${id}` }));
    expect(await isValid({ uniqueItems: true }, records)).toBe(true);
    expect(await problemsOf({ uniqueItems: true }, [...records, { name: "n7", id: 7 }])).toBe(
      "items 7 and 20000 are equal",
    );
    const long = Array.from({ length: 30 }, (_, a) => ({ a }));
    expect(await isValid({ items: { enum: [...long, "x"] } }, [{ a: 29 }, "x"])).toBe(true);
    expect(await isValid({ enum: long }, { a: 30 })).toBe(false);
  });

  it("allows null where OpenAPI's nullable does, and nothing where an enum is empty", async () => {
    expect(await isValid({ type: "string", nullable: true }, null)).toBe(true);
    expect(await isValid({ enum: [] }, null)).toBe(false);
  });

  it("does not pass what is too expensive or too deep to check", async () => {
    const doubling = {
      $ref: "#/$defs/n",
      $defs: { n: { properties: { a: { allOf: [{ $ref: "#/$defs/n" }, { $ref: "#/$defs/n" }] } } } },
    };
    let value = {};
    for (let level = 0; level < 60; level++) value = { a: value };
    expect(await problemsOf(doubling, value)).toBe("too expensive to check");
    for (let level = 0; level < 100_000; level++) value = { a: value };
    expect(await problemsOf({ properties: { a: { $ref: "#" } } }, value)).toBe("nested too deeply to check");
  });
});

describe("patterns", () => {
  it("are searched for, not anchored, by code points", async () => {
    expect(await isValid({ pattern: "b" }, "abc")).toBe(true);
    expect(await isValid({ pattern: "^.$" }, "😀")).toBe(true);
    expect(await isValid({ pattern: "^[\\w\\-\\@]+$" }, "a-b@c")).toBe(true);
    expect(
      await isValid({ patternProperties: { "^x": { type: "number" } }, additionalProperties: false }, { x1: 1 }),
    ).toBe(true);
  });

  it("of our own may look around; somebody else's are left out with a warning", async () => {
    const schema = { properties: { a: { pattern: "^(?!no)" }, b: { pattern: "(a)\\1" }, c: { pattern: "^c$" } } };
    expect(await problemsOf(schema, { a: "no", b: "ab", c: "c" })).toBe(
      "/a: must match the pattern ^(?!no)\n/b: must match the pattern (a)\\1",
    );
    const foreign = compileSchema(schema, { foreign: true });
    expect(foreign.warnings).toEqual([
      "pattern at #/properties/a cannot be enforced: lookaround",
      "pattern at #/properties/b cannot be enforced: back-reference",
    ]);
    expect(await foreign.check({ a: "no", b: "ab", c: "c" })).toMatchObject({ ok: true });
    expect(await foreign.check({ c: "d" })).toMatchObject({ ok: false });
  });

  it("of somebody else that only the engine finds it cannot match are left out too", async () => {
    const foreign = compileSchema(
      { patternProperties: { "^\\p{Script=Greek}$": false, "(?=a)": false }, additionalProperties: false },
      { foreign: true },
    );
    expect(await foreign.check({ b: 1 })).toMatchObject({ ok: true });
    expect(foreign.warnings).toHaveLength(2);
  });
});

describe("problems", () => {
  const schema = {
    type: "object",
    properties: {
      sql: { type: "string", minLength: 1 },
      limit: { type: "integer", maximum: 9 },
      mode: { enum: ["fast", "slow"] },
      items: { type: "array", items: { type: "object", properties: { qty: { type: "integer" } } } },
    },
    required: ["sql"],
    additionalProperties: false,
  };

  it("are all told, with the place, and never with the value", async () => {
    const text = await problemsOf(schema, {
      slq: "s3cret",
      limit: "s3cret",
      mode: "s3cret",
      items: [{ qty: "s3cret" }, 1],
    });
    expect(text.split("\n").sort()).toEqual([
      "/items/0/qty: must be integer, is string",
      "/items/1: must be object, is number",
      "/limit: must be integer, is string",
      '/mode: must be one of "fast", "slow"',
      'missing "sql"',
      'unknown key "slq", did you mean "sql"?',
    ]);
  });

  it("name the keyword and its parameters", async () => {
    const checked = await check(schema, { sql: "x", limit: 10 });
    expect(checked).toEqual({
      ok: false,
      problems: [
        { path: "/limit", message: "must be <= 9", keyword: "maximum", params: { comparison: "<=", limit: 9 } },
      ],
    });
  });

  it.each([
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, 1, "must be string or null, is number"],
    [{ anyOf: [{ type: "object", required: ["a"] }, { type: "null" }] }, {}, 'missing "a"'],
    [{ oneOf: [{ const: "a", title: "A" }, { const: "b" }] }, "c", 'must be one of "a", "b"'],
    [{ oneOf: [{ type: "number" }, { minimum: 1 }] }, 2, "matches more than one alternative (0 and 1)"],
    [
      { oneOf: [{ properties: { t: { const: "a" } } }, { properties: { t: { const: "b" } } }] },
      { t: "c" },
      '/t: must be one of "a", "b"',
    ],
    [
      { oneOf: [{ properties: { t: { const: "a" }, n: { type: "number" } } }, { properties: { t: { const: "b" } } }] },
      { t: "a", n: "x" },
      "/n: must be number, is string",
    ],
    [{ anyOf: [{ required: ["a"] }, { required: ["b"] }] }, {}, 'matches none of the 2 alternatives\nmissing "a"'],
    [
      { anyOf: [{ $ref: "#/$defs/a" }, { type: "null" }], $defs: { a: { type: "object", required: ["x"] } } },
      {},
      'missing "x"',
    ],
    [{ contains: { type: "string" } }, [1, 2], "must contain at least 1 of the items that are asked for"],
    [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, 'key "ab" must be at most 1 characters long'],
    [
      JSON.parse('{"if":{"type":"string"},"then":{"minLength":2}}') as JsonSchema,
      "x",
      "must be at least 2 characters long",
    ],
    [{ not: { type: "string" } }, "x", "is what the schema excludes"],
    [{ properties: { a: false } }, { a: 1 }, "/a: is not allowed"],
    [{ const: { a: 1 } }, {}, 'must be {"a":1}'],
    [
      { enum: Array.from({ length: 12 }, (_, index) => index) },
      99,
      "must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, … (2 more)",
    ],
    [{ multipleOf: 0.1 }, 0.35, "must be a multiple of 0.1"],
  ])("of %j are short", async (oneSchema, value, text) => {
    expect(await problemsOf(oneSchema, value)).toBe(text);
  });

  it("are described in at most 20 lines", () => {
    const problems = Array.from({ length: 25 }, (_, index) => ({ path: `/${index}`, message: "is wrong" }));
    expect(describeProblems(problems).split("\n").slice(-2)).toEqual(["/19: is wrong", "… and 5 more"]);
  });
});

describe("schemas of libraries", () => {
  it.each([
    ["zod", z.object({ name: z.string(), n: z.number().int() })],
    ["arktype", type({ name: "string", n: "number.integer" })],
    ["valibot", toStandardJsonSchema(v.object({ name: v.string(), n: v.pipe(v.number(), v.integer()) }))],
  ])(
    "of %s are described as JSON Schema, and check with the library, without repeating the value",
    async (_, schema) => {
      const compiled = compileSchema(schema, { root: "object" });
      expect(compiled.json).toMatchObject({
        type: "object",
        properties: { name: { type: "string" }, n: { type: "integer" } },
      });
      expect(await compiled.check({ name: "x", n: 1 })).toEqual({ ok: true, value: { name: "x", n: 1 } });
      const checked = (await compiled.check({ name: "x", n: "s3cret" })) as Extract<Checked, { ok: false }>;
      expect(checked.problems.map(({ path }) => path)).toEqual(["/n"]);
      expect(describeProblems(checked.problems)).toContain("number");
      expect(describeProblems(checked.problems)).not.toContain("s3cret");
    },
  );

  it("hand on what the library makes of the value", async () => {
    const schema = z.object({ a: z.string().default("x"), b: z.string().transform((text) => text.length) });
    expect(await check(schema, { b: "four" })).toEqual({ ok: true, value: { a: "x", b: 4 } });
    expect(compileSchema(schema).json).toMatchObject({ properties: { b: { type: "string" } }, required: ["b"] });
  });

  it("may check asynchronously, and may throw", async () => {
    const schema = z.object({ a: z.string().refine(async (text) => text === "x", "no such name") });
    expect(await check(schema, { a: "x" })).toEqual({ ok: true, value: { a: "x" } });
    expect(await problemsOf(schema, { a: "y" })).toBe("/a: no such name");
    const throws = z.object({
      a: z.string().transform(() => {
        throw new Error("broken");
      }),
    });
    expect(await problemsOf(throws, { a: "x" })).toBe("could not be checked: broken");
  });

  it("that cannot describe themselves are refused with what to do", () => {
    expect(refusal(v.object({}))).toContain("toStandardJsonSchema of @valibot/to-json-schema");
    expect(refusal(z.object({ at: z.date() }))).toContain("schema of zod cannot be written as JSON Schema: Date");
    expect(refusal({ "~standard": { version: 1, vendor: "zod", validate: () => ({ value: 1 }) } })).toContain(
      "Zod 4.2",
    );
    expect(refusal(z.string(), { root: "object" })).toContain('the type "object"');
  });
});

it("an answer that comes late in any kind of promise is waited for, not taken for a success", async () => {
  const refusal = { issues: [{ message: "no" }] };
  // oxlint-disable-next-line unicorn/no-thenable
  const thenable = { then: (settle: (outcome: unknown) => void) => void setTimeout(() => settle(refusal), 1) };
  const jsonSchema = { input: () => ({ type: "object" }) };
  const schema = {
    "~standard": { version: 1, vendor: "late", validate: () => thenable as never, jsonSchema },
  } as const;
  expect(await compileSchema(schema).check({})).toMatchObject({ ok: false, problems: [{ message: "no" }] });
});
