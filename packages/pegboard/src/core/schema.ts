import type { JsonSchema, Schema } from "@pegboard/contract";
import { messageOf, PegboardError } from "./error.ts";
import { condense } from "./schema-alternatives.ts";
import { type Engine, loadEngine, TooExpensive } from "./schema-engine.ts";
import { wrongSchema } from "./schema-lint.ts";
import { type Plan, planSchema } from "./schema-plan.ts";
import { type Checked, toProblems } from "./schema-problems.ts";
import { checkStandard, isStandard, toJsonSchema } from "./schema-standard.ts";

export { type Checked, describeProblems, type Problem } from "./schema-problems.ts";

/** A schema that is known to be usable. */
export interface CompiledSchema {
  /** The very object that the author gave, or what the author's library makes of its schema. */
  readonly json: JsonSchema;
  /** What of the schema is not checked, and why. The first check may add to it: only then is every pattern compiled. */
  readonly warnings: readonly string[];
  /** Whether a check may change the value. */
  readonly changes: boolean;
  /**
   * Checks a JSON value, and changes it in place where the schema has defaults: pass a copy. Returns the value to hand
   * on, or all problems. Synchronous once the engine is loaded, unless a library's own check is not. Throws or rejects
   * only with `unavailable`, where the engine cannot be had.
   */
  check(value: unknown): Checked | Promise<Checked>;
}

/** How a schema is to be taken. */
export interface CompileOptions {
  /** The schema must describe an object, as that of an input must. */
  readonly root?: "object";
  /** It is from somebody else's package or server: patterns that could hold the thread are not enforced, with a warning. */
  readonly foreign?: boolean;
}

/**
 * Reads a schema and throws `invalid_definition`, with the place, when it cannot be used. The engine is loaded and the
 * schema compiled when the first value is checked. The same object and options give the same result.
 */
export function compileSchema(schema: Schema, options: CompileOptions = {}): CompiledSchema {
  refuseOthers(schema);
  const slot = (options.root ? 1 : 0) + (options.foreign ? 2 : 0);
  const slots = cache.get(schema) ?? [];
  const compiled =
    slots[slot] ?? (isStandard(schema) ? fromStandard(schema, options) : fromJson(schema as JsonSchema, options));
  slots[slot] = compiled;
  cache.set(schema, slots);
  return compiled;
}

const cache = new WeakMap<Schema, CompiledSchema[]>();
const NO_WARNINGS: readonly string[] = [];

function refuseOthers(schema: unknown): void {
  if (isStandard(schema)) return;
  const found = schema === null ? "null" : Array.isArray(schema) ? "a list" : `a ${typeof schema}`;
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) {
    throw wrongSchema("#", `it must be an object or a Standard Schema, not ${found}`);
  }
  const prototype: unknown = Object.getPrototypeOf(schema);
  // The prototype of plain objects, also of another realm, has none itself.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw wrongSchema(
      "#",
      `it must be a plain object or a Standard Schema, not an instance of ${schema.constructor?.name}`,
    );
  }
}

function fromStandard(schema: Parameters<typeof checkStandard>[0], { root }: CompileOptions): CompiledSchema {
  const json = toJsonSchema(schema);
  // The library checks its patterns itself, so they need not be such that we could.
  planSchema(json, { root, foreign: true });
  return { json, warnings: NO_WARNINGS, changes: true, check: (value) => checkStandard(schema, value) };
}

function fromJson(json: JsonSchema, options: CompileOptions): CompiledSchema {
  return new Compiled(json, options, planSchema(json, options));
}

type Check = (value: unknown) => Checked;

/** A class so that ten thousand of them share their code: most are never checked. */
class Compiled implements CompiledSchema {
  readonly json: JsonSchema;
  warnings: readonly string[];
  readonly changes: boolean;
  readonly #options: CompileOptions;
  readonly #patterns: boolean;
  #check: Check | undefined;

  constructor(json: JsonSchema, options: CompileOptions, { patterns, defaults, warnings }: Plan) {
    this.json = json;
    this.changes = defaults;
    this.#options = options;
    this.#patterns = patterns;
    this.warnings = warnings.length > 0 ? warnings : NO_WARNINGS;
  }

  check(value: unknown): Checked | Promise<Checked> {
    if (this.#check) return this.#check(value);
    try {
      const engine = loadEngine(this.#patterns);
      if (!(engine instanceof Promise)) return this.#prepare(engine)(value);
      return engine
        .catch(notLoaded)
        .then((loaded) => (this.#check ?? this.#prepare(loaded))(value))
        .catch(toUnchecked);
    } catch (error) {
      return toUnchecked(error);
    }
  }

  #prepare(engine: Engine): Check {
    // Planned anew: the engine knows better than the text of a pattern what it can match.
    const plan = planSchema(this.json, { ...this.#options, obstacle: engine.matchers?.obstacle });
    this.warnings = plan.warnings;
    const validate = engine.compile(plan.root);
    return (this.#check = (value) => {
      try {
        const errors = validate(value);
        return errors.length === 0
          ? { ok: true, value }
          : { ok: false, problems: toProblems(condense(errors, plan.root)) };
      } catch (error) {
        return toUnchecked(error);
      }
    });
  }
}

function notLoaded(error: unknown): never {
  const message = `JSON Schemas cannot be checked now: what checks them did not load (${messageOf(error)})`;
  throw new PegboardError("unavailable", message, { cause: error, retryable: true });
}

/** A value that cannot be checked does not pass. */
function toUnchecked(error: unknown): Checked {
  if (error instanceof PegboardError) throw error;
  if (error instanceof EvalError) {
    const advice = "allow 'unsafe-eval' in script-src, or give the tool a Standard Schema, such as one of Zod";
    throw new PegboardError(
      "unavailable",
      `JSON Schemas cannot be checked here: the content security policy forbids it; ${advice}`,
      { cause: error },
    );
  }
  const message = error instanceof TooExpensive ? error.message : `the schema could not be used: ${messageOf(error)}`;
  return { ok: false, problems: [{ path: "", message }] };
}
