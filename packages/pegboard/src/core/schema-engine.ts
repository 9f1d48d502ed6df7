import type * as Ajv2020Module from "ajv/dist/2020.js";
import type { Ajv2020, CodeKeywordDefinition, ErrorObject, KeywordCxt } from "ajv/dist/2020.js";
import { FEW_REQUIRED, type Fuel, TANK } from "./schema-cost.ts";
import type { PlanNode } from "./schema-keywords.ts";
import { createMatchers, type MatcherFactory } from "./schema-regex.ts";
import { Values } from "./schema-values.ts";

/** One failure as the engine tells it, with the node of the plan (`parentSchema`) and the value (`data`) it is about. */
export type EngineError = ErrorObject & { readonly parentSchema?: PlanNode };

/** The engine, ready to use. */
export interface Engine {
  /** Patterns in linear time; absent when the engine was loaded without. */
  readonly matchers?: MatcherFactory | undefined;
  /** Compiles a plan to a function that returns what is wrong with a value, and throws `TooExpensive`. */
  compile(root: PlanNode): (value: unknown) => readonly EngineError[];
}

/** Thrown when the check of a value takes more than it may. */
export class TooExpensive extends Error {}

type Ajv = Pick<typeof Ajv2020Module, "Ajv2020" | "Name" | "_">;

let ajv: Ajv | undefined;

/** The engine. A promise only until what it is made of has been loaded, the patterns when they are first asked for. */
export function loadEngine(patterns: boolean): Engine | Promise<Engine> {
  const matchers = patterns ? createMatchers(spend) : undefined;
  if (ajv && !(matchers instanceof Promise)) return toEngine(ajv, matchers);
  const module = ajv ?? import("ajv/dist/2020.js");
  return Promise.all([module, matchers]).then(([loaded, ready]) => toEngine((ajv = loaded), ready));
}

function toEngine(module: Ajv, matchers: MatcherFactory | undefined): Engine {
  return {
    matchers,
    compile(root) {
      tank.left = TANK;
      const validate = createAjv(module, matchers).compile(root);
      return (value) => {
        tank.left = TANK;
        try {
          return validate(value) ? [] : ((validate.errors as EngineError[] | null) ?? []);
        } catch (error) {
          throw error instanceof RangeError ? new TooExpensive("nested too deeply to check") : error;
        } finally {
          // The errors hold the value, which must not outlive the check.
          validate.errors = null;
        }
      };
    },
  };
}

/** Every schema gets an instance of its own: an instance keeps all that it ever compiled. To make one takes 0.1 ms. */
function createAjv(module: Ajv, matchers: MatcherFactory | undefined): Ajv2020 {
  const regExp = (pattern: string): RegExp => matchers!.compile(pattern) as RegExp;
  const instance = new module.Ajv2020({
    strict: false,
    allErrors: true,
    verbose: true,
    messages: false,
    logger: false,
    meta: false,
    validateSchema: false,
    validateFormats: false,
    addUsedSchema: false,
    useDefaults: true,
    ownProperties: true,
    // Otherwise the code grows with the number of references times the size of what they lead to.
    inlineRefs: false,
    loopRequired: FEW_REQUIRED,
    multipleOfPrecision: 9,
    // Optimising takes longer than all the rest, and V8 does it too.
    code: { optimize: false, regExp: Object.assign(regExp, { code: "new RegExp" }) },
  });
  for (const keyword of toKeywords(module)) instance.addKeyword(keyword);
  return instance;
}

const tank = { left: 0 };

function spend(amount: number): void {
  tank.left -= amount;
  if (tank.left < 0) throw new TooExpensive("too expensive to check");
}

function toKeywords({ _, Name }: Ajv): CodeKeywordDefinition[] {
  const errors = new Name("vErrors");
  const func = (cxt: KeywordCxt, ref: unknown): InstanceType<typeof Name> => cxt.gen.scopeValue("func", { ref });

  return [
    {
      keyword: "$fuel",
      before: "$ref",
      code(cxt) {
        const { amount, passes } = cxt.schema as Fuel;
        // Each error that stays makes the rest dearer, most of all for a reference, which copies them all.
        const shift = cxt.parentSchema.$ref === undefined ? 7 : 1;
        const size = passes > 0 ? _` + ${passes} * ${func(cxt, sizeOf)}(${cxt.data})` : _``;
        const cost = _`${amount}${size} + (${errors} === null ? 0 : ${errors}.length >> ${shift})`;
        cxt.gen.code(_`${func(cxt, spend)}(${cost})`);
      },
    },
    {
      keyword: "$among",
      error: { message: "", params: ({ schemaCode }) => _`{allowedValues: ${schemaCode}}` },
      code(cxt) {
        cxt.pass(_`${func(cxt, toValues(cxt.schema as unknown[]))}.has(${cxt.data})`);
      },
    },
    {
      keyword: "$unique",
      type: "array",
      error: { message: "", params: ({ params }) => _`{i: ${params.pair}[0], j: ${params.pair}[1]}` },
      code(cxt) {
        const pair = cxt.gen.const("pair", _`${func(cxt, findEqual)}(${cxt.data})`);
        cxt.setParams({ pair });
        cxt.pass(_`${pair} === undefined`);
      },
    },
  ];
}

/** What it costs to go through a value once, not counting what is below it. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return 0;
  let size = 0;
  for (const key of Object.keys(value)) size += 40 + key.length;
  return size;
}

/** The first two items that are equal. */
function findEqual(items: readonly unknown[]): [number, number] | undefined {
  const values = new Values(spend);
  for (let position = 0; position < items.length; position++) {
    const earlier = values.add(items[position], position);
    if (earlier !== undefined) return [earlier, position];
  }
  return undefined;
}

function toValues(allowed: readonly unknown[]): Values {
  const values = new Values(spend);
  for (const [position, value] of allowed.entries()) values.add(value, position);
  return values;
}
