import type { JsonSchema } from "@pegboard/contract";
import { addCosts } from "./schema-cost.ts";
import { addKeyword, type PlanNode, settle, type Walk } from "./schema-keywords.ts";
import { isObject, LIMITS, lintText, lintValue, toDialect, tooDeep, toPointer, wrongSchema } from "./schema-lint.ts";
import { type References, type Resource, type Target, toReferences } from "./schema-refs.ts";
import { inspectPattern } from "./schema-regex.ts";

/** A schema in the one form that the engine is given: one dialect, only what is checked, no addresses, work counted. */
export interface Plan {
  readonly root: PlanNode;
  /** Whether it has regular expressions. */
  readonly patterns: boolean;
  /** Whether a check may fill in defaults. */
  readonly defaults: boolean;
  readonly warnings: readonly string[];
}

/** How a schema is read. */
export interface PlanOptions {
  /** The schema must describe an object. */
  readonly root?: "object" | undefined;
  /** It is somebody else's: a pattern that cannot be matched in linear time is left out, with a warning. */
  readonly foreign?: boolean | undefined;
  /** Why a pattern cannot be matched in linear time. Judged by its text when absent. */
  readonly obstacle?: ((pattern: string) => string | undefined) | undefined;
}

/** Reads a schema and makes the plan of it. Throws `invalid_definition` with the place of what is wrong. */
export function planSchema(schema: JsonSchema, options: PlanOptions): Plan {
  try {
    lintText(schema);
    return toPlan(schema, options);
  } catch (error) {
    throw error instanceof RangeError ? wrongSchema("#", tooDeep) : error;
  }
}

function toPlan(schema: JsonSchema, options: PlanOptions): Plan {
  const targets = new Map<unknown, Target & { readonly name: string }>();
  const walk = createWalk(schema, options, targets);
  const root = walk.child(schema, walk.references.root);
  if (options.root === "object") requireObject(schema, root);
  const definitions: Record<string, PlanNode> = {};
  // The map grows while it is read: a target may refer to further ones.
  for (const target of targets.values()) {
    walk.path.push(...target.path);
    definitions[target.name] = walk.child(target.schema, target.resource);
    walk.path.length = 0;
  }
  refuseEndless(definitions, targets.values());
  if (walk.dynamic && walk.resources > 0) {
    throw wrongSchema("#", "$dynamicRef and $recursiveRef are supported only where no subschema has an $id");
  }
  if (targets.size > 0) root.$defs = definitions;
  if (addCosts(root) > LIMITS.checks) {
    throw wrongSchema("#", "it is too large to compile; split the tool, or say less about its values");
  }
  return { root, patterns: walk.patterns, defaults: walk.defaults, warnings: walk.warnings };
}

interface PlanWalk extends Walk {
  readonly references: References;
  /** Subschemas with an address of their own. */
  resources: number;
}

function createWalk(
  root: JsonSchema,
  options: PlanOptions,
  targets: Map<unknown, Target & { name: string }>,
): PlanWalk {
  const path: string[] = [];
  let depth = 0;
  let subschemas = 0;

  const walk: PlanWalk = {
    path,
    dialect: toDialect(root.$schema),
    foreign: options.foreign === true,
    references: toReferences(root),
    warnings: [],
    instructions: 0,
    patterns: false,
    defaults: false,
    dynamic: false,
    resources: 0,
    child(schema, resource, ...keys) {
      for (const key of keys) path.push(String(key));
      const node = typeof schema === "boolean" ? (schema ? {} : { not: {} }) : visit(schema, resource);
      path.length -= keys.length;
      return node;
    },
    define(target) {
      let defined = targets.get(target.schema);
      if (!defined) targets.set(target.schema, (defined = { ...target, name: `t${targets.size}` }));
      return `#/$defs/${defined.name}`;
    },
    refer(reference, resource) {
      const target = walk.references.resolve(reference, resource);
      if (!target) {
        throw walk.wrong(
          `"${reference.slice(0, 200)}" leads nowhere within the schema; no file and no address is read`,
        );
      }
      return walk.define(target);
    },
    obstacle: options.obstacle ?? ((pattern) => inspectPattern(pattern).obstacle),
    wrong: (message) => wrongSchema(toPointer(path), message),
  };
  return walk;

  function visit(schema: unknown, around: Resource): PlanNode {
    if (!isObject(schema)) throw walk.wrong("a schema must be an object, true or false");
    if (++subschemas > LIMITS.subschemas) throw wrongSchema("#", `it has more than ${LIMITS.subschemas} subschemas`);
    if (++depth > LIMITS.depth) throw wrongSchema(toPointer(path.slice(0, 8)), tooDeep);
    const resource = walk.references.enter(schema, path, around);
    if (resource !== around) walk.resources++;
    const node: PlanNode = {};
    for (const keyword of Object.keys(schema)) {
      const value = schema[keyword];
      if (value === undefined) continue;
      path.push(keyword);
      const must = lintValue(keyword, value);
      if (must !== undefined) throw walk.wrong(must);
      addKeyword({ schema, node, resource, walk }, keyword, value);
      path.pop();
    }
    settle(node);
    depth--;
    return node;
  }
}

/** What an object schema without `type` has at least one of. */
const OBJECT = [
  "properties",
  "patternProperties",
  "additionalProperties",
  "required",
  "$ref",
  "allOf",
  "anyOf",
  "oneOf",
];

function requireObject(schema: JsonSchema, root: PlanNode): void {
  const { type } = schema;
  const isObjectType = type === "object" || (Array.isArray(type) && type.every((name) => name === "object"));
  const isUntyped = type === undefined && (Object.keys(root).length === 0 || OBJECT.some((keyword) => keyword in root));
  if (!isObjectType && !isUntyped) throw wrongSchema("#", 'the root must have the type "object"');
  root.type = "object";
}

/** Throws when a definition leads back to itself without going down in the value: checking it would never end. */
function refuseEndless(
  definitions: Record<string, PlanNode>,
  targets: Iterable<Target & { readonly name: string }>,
): void {
  const open = new Set<PlanNode>();
  const done = new Set<PlanNode>();
  for (const { name, path } of targets) {
    if (isEndless(definitions[name]!))
      throw wrongSchema(toPointer(path), "it leads back to itself without going down in the value");
  }

  function isEndless(node: PlanNode): boolean {
    if (open.has(node)) return true;
    if (done.has(node)) return false;
    open.add(node);
    const endless = inPlace(node, definitions).some(isEndless);
    open.delete(node);
    done.add(node);
    return endless;
  }
}

/** The nodes that check the very value that this one checks. */
function inPlace(node: PlanNode, definitions: Record<string, PlanNode>): PlanNode[] {
  const target = typeof node.$ref === "string" ? definitions[node.$ref.slice("#/$defs/".length)] : undefined;
  const nodes = [target, node.not, node.if, node.then, node.else, node.allOf, node.anyOf, node.oneOf].flat();
  return [...nodes, ...Object.values(node.dependentSchemas ?? {})].filter(isObject);
}
