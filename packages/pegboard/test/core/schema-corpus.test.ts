import { readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import type { JsonSchema } from "@pegboard/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PegboardError } from "../../src/core/error.ts";
import { type Checked, compileSchema } from "../../src/core/schema.ts";

interface Case {
  id: string;
  name: string;
  schema?: unknown;
  gen?: { pattern?: number; nest?: string; depth?: number; enum?: number; props?: number };
  expect: "accept" | "reject" | "bounded";
  alsoOk?: string[];
  instance?: unknown;
  instanceJson?: string;
  instanceGen?: { objects: number; key: string };
  mustBe?: "valid" | "invalid";
  limitMs?: number;
}

const text = readFileSync(new URL("../corpora/schemas.json", import.meta.url), "utf8");
const { schemas } = JSON.parse(text) as { schemas: Case[] };

let connections = 0;
const server = createServer((socket) => {
  connections++;
  socket.destroy();
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  await compileSchema({ properties: { a: { pattern: "a" } } }).check({ a: "a" });
});

afterAll(() => server.close());

describe.each([
  ["of our own", false],
  ["of somebody else", true],
])("a hostile schema %s", (_, foreign) => {
  it.each(schemas)("$id $name: $expect", async (one) => {
    const limit = one.limitMs ?? 100;
    const make = () => ({ schema: schemaOf(one), value: instanceOf(one) });
    const [outcome, milliseconds] = await timed(limit, make, { root: "object", foreign });
    const allowed = [one.expect, ...(one.alsoOk ?? [])];
    if (!allowed.includes("bounded")) expect(allowed).toContain(outcome === "refused" ? "reject" : "accept");
    if (outcome !== "refused" && outcome !== undefined) {
      if (one.mustBe) expect(outcome.ok).toBe(one.mustBe === "valid");
      if (one.expect === "accept") expect(outcome.ok).toBe(true);
    }
    expect(milliseconds).toBeLessThan(limit);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

it("no schema of the corpus makes a connection", async () => {
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(connections).toBe(0);
});

const many = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, index) => make(index));
const record = <T>(length: number, make: (index: number) => T): Record<string, T> =>
  Object.fromEntries(many(length, (index) => [`k${index}`, make(index)]));
const nest = (depth: number, make: (inner: unknown) => unknown): unknown => {
  let value: unknown = {};
  for (let level = 0; level < depth; level++) value = make(value);
  return value;
};
const doubling = (keyword: string): object => ({
  $ref: "#/$defs/k0",
  $defs: record(40, (index) =>
    index === 39 ? { type: "string" } : { [keyword]: many(2, () => ({ $ref: `#/$defs/k${index + 1}` })) },
  ),
});
const node = { properties: { a: { allOf: [{ $ref: "#/$defs/n" }, { $ref: "#/$defs/n" }] } } };

const more: [string, object, () => unknown][] = [
  ["allOf that doubles at each of 40 references", doubling("allOf"), () => "x"],
  ["anyOf that doubles at each of 40 references", doubling("anyOf"), () => 1],
  [
    "recursion that doubles at each level of the value",
    { $ref: "#/$defs/n", $defs: { n: node } },
    () => nest(100, (a) => ({ a })),
  ],
  [
    "recursion to the root over long texts",
    { properties: { a: { anyOf: many(2, () => ({ $ref: "#" })) }, s: { maxLength: 3 } } },
    () => nest(60, (a) => ({ a, s: "x".repeat(100_000) })),
  ],
  [
    "1,000 alternatives under items",
    { items: { oneOf: many(1_000, (index) => ({ required: [`k${index}`] })) } },
    () => many(100_000, () => ({ k1: 1 })),
  ],
  [
    "250 alternatives under items",
    { items: { oneOf: many(250, (index) => ({ required: [`k${index}`] })) } },
    () => many(100_000, () => ({ k1: 1 })),
  ],
  [
    "1,000 constants under items",
    { items: { oneOf: many(1_000, (index) => ({ const: `k${index}` })) } },
    () => many(100_000, (index) => index),
  ],
  ["unique among 200,000 objects", { uniqueItems: true }, () => many(200_000, (id) => ({ id, name: `n${id}` }))],
  [
    "a value nested 100,000 deep",
    { $ref: "#/$defs/n", $defs: { n: { properties: { a: { $ref: "#/$defs/n" } } } } },
    () => nest(100_000, (a) => ({ a })),
  ],
  [
    "100,000 errors behind a reference",
    { items: { $ref: "#/$defs/n" }, $defs: { n: { type: "string" } } },
    () => many(100_000, (index) => index),
  ],
  ["100,000 unknown keys", { properties: { k: {} }, additionalProperties: false }, () => record(100_000, () => 1)],
  [
    "300 limits on a long text",
    { allOf: many(300, (index) => ({ maxLength: index + 10 })) },
    () => "x".repeat(5_000_000),
  ],
  ["300 limits on 50,000 keys", { anyOf: many(300, () => ({ maxProperties: 3 })) }, () => record(50_000, () => 1)],
  ["300 constants against 50,000 keys", { anyOf: many(300, (a) => ({ const: { a } })) }, () => record(50_000, () => 1)],
  [
    "200 patterns for 50,000 keys",
    { patternProperties: Object.fromEntries(many(200, (index) => [`^k${index}$`, { type: "string" }])) },
    () => record(50_000, () => 1),
  ],
  [
    "a long enum under items",
    { items: { enum: many(5_000, (index) => `v${index}`) } },
    () => many(100_000, () => "v4999"),
  ],
  [
    "300 defaults for each of 20,000 items",
    { items: { properties: record(300, () => ({ default: { a: [1, 2, 3] } })) } },
    () => many(20_000, () => ({})),
  ],
  [
    "a pattern that counts to 900",
    { items: { pattern: "^(.?){900}$" } },
    () => many(1_000, () => `${"a".repeat(800)}!`),
  ],
  [
    "patterns with many instructions",
    { properties: record(7, (index) => ({ pattern: `[a-${"cdefghi"[index]}]{1000}` })) },
    () => record(7, () => "a".repeat(300)),
  ],
  [
    "as many checks as are allowed",
    { properties: record(700, () => ({ type: "string" })) },
    () => record(700, () => 1),
  ],
  [
    "a long key above many checks",
    { properties: { ["k".repeat(10_000)]: { properties: record(500, () => ({ type: "string" })) } } },
    () => ({}),
  ],
];

describe("a schema that is on no list", () => {
  it.each(more)("%s: refused, or checked in less than 100 ms", async (_, schema, make) => {
    const anew = () => ({ schema: structuredClone(schema), value: make() });
    const [, milliseconds] = await timed(100, anew, { foreign: true });
    expect(milliseconds).toBeLessThan(100);
  });
});

type Outcome = Checked | "refused" | undefined;

/**
 * What a run on a new value gives, and the milliseconds of the thread it takes, compilation included. A run that takes
 * too long is tried again, twice at most: a garbage collection is not the schema's.
 */
async function timed(
  limit: number,
  make: () => { schema: unknown; value: unknown },
  options: { root?: "object"; foreign: boolean },
): Promise<[Outcome, number]> {
  for (let attempt = 1; ; attempt++) {
    const { schema, value } = make();
    const start = process.threadCpuUsage();
    const outcome = await outcomeOf(schema, value, options);
    const { user, system } = process.threadCpuUsage(start);
    const milliseconds = (user + system) / 1_000;
    if (milliseconds < limit || attempt === 3) return [outcome, milliseconds];
  }
}

async function outcomeOf(
  schema: unknown,
  value: unknown,
  options: { root?: "object"; foreign: boolean },
): Promise<Outcome> {
  try {
    const compiled = compileSchema(schema as JsonSchema, options);
    return value === undefined ? undefined : await compiled.check(value);
  } catch (error) {
    expect(error).toBeInstanceOf(PegboardError);
    expect((error as PegboardError).code).toBe("invalid_definition");
    return "refused";
  }
}

function schemaOf({ schema, gen }: Pick<Case, "schema" | "gen">): unknown {
  if (!gen)
    return JSON.parse(JSON.stringify(schema).replaceAll("{{PORT}}", String((server.address() as AddressInfo).port)));
  if (gen.nest) return nest(gen.depth!, (inner) => ({ type: "object", [gen.nest!]: [inner] }));
  if (gen.props) return { type: "object", properties: record(gen.props, () => ({ type: "string" })) };
  const a = gen.enum
    ? { enum: many(gen.enum, (index) => index) }
    : { type: "string", pattern: "a".repeat(gen.pattern!) };
  return { type: "object", properties: { a } };
}

function instanceOf({
  instance,
  instanceJson,
  instanceGen,
}: Pick<Case, "instance" | "instanceJson" | "instanceGen">): unknown {
  if (instanceJson !== undefined) return JSON.parse(instanceJson);
  if (instanceGen) return { [instanceGen.key]: many(instanceGen.objects, (id) => ({ id, name: `n${id}` })) };
  return structuredClone(instance);
}
