import type { JsonSchema } from "@pegboard/contract";
import { type Dialect, isObject, LIMITS, toPointer } from "./schema-lint.ts";
import type { Resource, Target } from "./schema-refs.ts";
import { inspectPattern, isPattern } from "./schema-regex.ts";

/** JSON Schema 2020-12, with `$among` and `$unique` for a long `enum` and `uniqueItems`, and `$fuel` for what a visit costs. */
export type PlanNode = Record<string, unknown>;

/** One subschema on its way into the plan, with what the keywords need of the walk over the whole schema. */
export interface Place {
  readonly schema: JsonSchema;
  readonly node: PlanNode;
  readonly resource: Resource;
  readonly walk: Walk;
}

/** What the keywords need of the walk. */
export interface Walk {
  readonly dialect: Dialect | undefined;
  readonly foreign: boolean;
  readonly warnings: string[];
  /** Instructions of all patterns so far. */
  instructions: number;
  patterns: boolean;
  defaults: boolean;
  /** Whether a reference depends on the way by which it is reached. */
  dynamic: boolean;
  /** The subschema below the current place, at these keys. */
  child(schema: unknown, resource: Resource, ...keys: (string | number)[]): PlanNode;
  /** Takes a schema into the definitions of the plan. Returns the reference to it. */
  define(target: Target): string;
  /** The reference to use instead of one of the schema. Throws when it leads nowhere. */
  refer(reference: string, resource: Resource): string;
  obstacle(pattern: string): string | undefined;
  /** Where the walk is. */
  readonly path: string[];
  /** The error for what is wrong where the walk is. */
  wrong(message: string): Error;
}

/** Adds a keyword to the plan; nothing for one that asserts nothing, or that the dialect of the schema does not have. */
export function addKeyword(place: Place, keyword: string, value: unknown): void {
  if (place.walk.dialect && UNKNOWN_TO[place.walk.dialect].has(keyword)) return;
  KEYWORDS.get(keyword)?.(place, value, keyword);
}

/** Brings a node that has all its keywords to its final form. */
export function settle(node: PlanNode): void {
  if (node.$open === true) {
    // A pattern was left out: which keys it would have let pass is not known.
    delete node.additionalProperties;
    delete node.unevaluatedProperties;
    delete node.$open;
  }
  const keyword = node.oneOf === undefined ? "anyOf" : "oneOf";
  const constants = toConstants(node[keyword]);
  if (constants === undefined || node.enum !== undefined || node.$among !== undefined) return;
  delete node[keyword];
  addValues(node, constants);
}

type Add = (place: Place, value: unknown, keyword: string) => void;

const SINCE_2019 =
  "$anchor dependentRequired dependentSchemas maxContains minContains unevaluatedItems unevaluatedProperties";
const UNKNOWN_TO: Record<Dialect, ReadonlySet<string>> = {
  "2020-12": words("additionalItems $recursiveRef"),
  "2019-09": words("prefixItems $dynamicRef"),
  "draft-07": words(`${SINCE_2019} prefixItems $dynamicRef $recursiveRef`),
  "draft-06": words(`${SINCE_2019} prefixItems $dynamicRef $recursiveRef if then else`),
};

const copy: Add = ({ node }, value, keyword) => {
  node[keyword] = value;
};

const one: Add = ({ node, walk, resource }, value, keyword) => {
  node[keyword] = walk.child(value, resource);
};

const list: Add = ({ node, walk, resource }, value, keyword) => {
  if (!Array.isArray(value) || value.length === 0) throw walk.wrong("it must be a list of at least one schema");
  const nodes = value.map((schema, index) => walk.child(schema, resource, index));
  node[keyword] = [...((node[keyword] as PlanNode[] | undefined) ?? []), ...nodes];
};

const type: Add = ({ node, schema }, value) => {
  // `nullable` is OpenAPI's, and common in schemas that were made from it.
  node.type = schema.nullable === true ? [...new Set([value, "null"].flat())] : value;
};

const constant: Add = ({ node }, value) => {
  if (!isComposite(value)) node.const = value;
  else node.allOf = [...((node.allOf as PlanNode[] | undefined) ?? []), { $among: [value] }];
};

const values: Add = ({ node }, value) => addValues(node, value as unknown[]);

const unique: Add = ({ node }, value) => {
  if (value === true) node.$unique = true;
};

const initial: Add = ({ node, walk }, value) => {
  // The engine writes defaults as code, and there `__proto__` sets the prototype.
  if (hasProto(value)) return;
  node.default = value;
  walk.defaults = true;
};

const pattern: Add = ({ node, walk }, value) => {
  if (typeof value !== "string") throw walk.wrong("it must be a string");
  if (isEnforced(walk, value)) node.pattern = value;
};

const reference: Add = ({ node, walk, resource }, value, keyword) => {
  if (typeof value !== "string") throw walk.wrong("it must be a string");
  walk.dynamic ||= keyword !== "$ref";
  const $ref = walk.refer(value, resource);
  if (node.$ref === undefined) node.$ref = $ref;
  else node.allOf = [...((node.allOf as PlanNode[] | undefined) ?? []), { $ref }];
};

const items: Add = (place, value, keyword) => {
  if (!Array.isArray(value)) one(place, value, keyword);
  else if (place.walk.dialect === "2020-12")
    throw place.walk.wrong("it must be a schema; a list of them is prefixItems");
  else if (value.length > 0) list(place, value, "prefixItems");
};

const additionalItems: Add = (place, value) => {
  if (Array.isArray(place.schema.items)) one(place, value, "items");
};

const rest: Add = (place, value, keyword) => {
  if (value === false) place.node[keyword] = false;
  else one(place, value, keyword);
};

const properties: Add = (place, value) => {
  place.node.properties = toNodes(place, value);
};

const dependentSchemas: Add = (place, value) => {
  place.node.dependentSchemas = { ...(place.node.dependentSchemas as object), ...toNodes(place, value) };
};

const dependentRequired: Add = ({ node }, value) => {
  node.dependentRequired = { ...(node.dependentRequired as object), ...(value as object) };
};

const dependencies: Add = (place, value) => {
  const entries = toEntries(place, value);
  const isNames = ([, needs]: [string, unknown]): boolean => Array.isArray(needs);
  const names = entries.filter(isNames);
  if (names.flatMap(([, needs]) => needs).some((name) => typeof name !== "string")) {
    throw place.walk.wrong("each must be a schema or a list of strings");
  }
  if (names.length > 0) dependentRequired(place, Object.fromEntries(names), "");
  if (names.length < entries.length) {
    dependentSchemas(place, Object.fromEntries(entries.filter((entry) => !isNames(entry))), "");
  }
};

const patternProperties: Add = (place, value) => {
  const { node, walk, resource } = place;
  const nodes: Record<string, PlanNode> = {};
  for (const [name, schema] of toEntries(place, value)) {
    if (isEnforced(walk, name)) nodes[name] = walk.child(schema, resource, name);
    else node.$open = true;
  }
  if (Object.keys(nodes).length > 0) node.patternProperties = nodes;
};

const definitions: Add = (place, value) => {
  const { walk, resource } = place;
  for (const [name, schema] of toEntries(place, value)) {
    if (isObject(schema)) walk.define({ schema, path: [...walk.path, name], resource });
    else walk.child(schema, resource, name);
  }
};

const KEYWORDS: ReadonlyMap<string, Add> = new Map([
  ["type", type],
  ["const", constant],
  ["enum", values],
  ["uniqueItems", unique],
  ["default", initial],
  ["pattern", pattern],
  ["items", items],
  ["additionalItems", additionalItems],
  ["properties", properties],
  ["patternProperties", patternProperties],
  ["dependencies", dependencies],
  ["dependentRequired", dependentRequired],
  ["dependentSchemas", dependentSchemas],
  ...each(copy, "multipleOf maximum minimum exclusiveMaximum exclusiveMinimum maxLength minLength"),
  ...each(copy, "maxItems minItems maxContains minContains maxProperties minProperties required"),
  ...each(one, "not if then else contains propertyNames unevaluatedItems"),
  ...each(rest, "additionalProperties unevaluatedProperties"),
  ...each(list, "allOf anyOf oneOf prefixItems"),
  ...each(reference, "$ref $dynamicRef $recursiveRef"),
  ...each(definitions, "$defs definitions"),
]);

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

function each(add: Add, keywords: string): [string, Add][] {
  return keywords.split(" ").map((keyword) => [keyword, add]);
}

function toNodes(place: Place, value: unknown): Record<string, PlanNode> {
  const { walk, resource } = place;
  const nodes: Record<string, PlanNode> = {};
  for (const [name, schema] of toEntries(place, value)) nodes[name] = walk.child(schema, resource, name);
  return nodes;
}

function toEntries({ walk }: Place, value: unknown): [string, unknown][] {
  if (!isObject(value)) throw walk.wrong("it must be an object");
  // The engine does not see a property of this name, so that what is said of it would not be checked.
  if (Object.hasOwn(value, "__proto__")) throw walk.wrong('"__proto__" cannot be the name of a property or definition');
  return Object.entries(value).filter(([, schema]) => schema !== undefined);
}

/** Whether a pattern can be checked. One of a schema of our own must be; somebody else's is left out with a warning. */
function isEnforced(walk: Walk, pattern: string): boolean {
  if (pattern.length > LIMITS.pattern) throw walk.wrong(`a pattern of more than ${LIMITS.pattern} characters`);
  if (!walk.foreign && !isPattern(pattern)) throw walk.wrong("it is not a regular expression");
  walk.instructions += inspectPattern(pattern).size;
  const tooLarge = walk.instructions > LIMITS.patterns ? "the patterns repeat too much" : undefined;
  const reason = walk.foreign ? (tooLarge ?? walk.obstacle(pattern)) : tooLarge;
  walk.patterns ||= reason === undefined;
  if (reason === undefined) return true;
  if (!walk.foreign) throw walk.wrong(reason);
  walk.warnings.push(`pattern at ${toPointer(walk.path.slice(0, -1))} cannot be enforced: ${reason}`);
  return false;
}

/** The values of alternatives that are nothing but different constants: an `enum` whose values have titles. */
function toConstants(alternatives: unknown): unknown[] | undefined {
  if (!Array.isArray(alternatives)) return undefined;
  const isConstant = (node: PlanNode): boolean =>
    Object.keys(node).length === 1 && typeof (node.const ?? {}) !== "object";
  const constants = alternatives.map((node: PlanNode) => node.const);
  return alternatives.every(isConstant) && new Set(constants).size === constants.length ? constants : undefined;
}

/** Up to this many values the engine compares one by one, which is faster than looking them up. */
const FEW = 20;

/** The engine's own comparison of objects calls methods of the value, so it is left only what is no object. */
function addValues(node: PlanNode, allowed: readonly unknown[]): void {
  const isSimple = allowed.length > 0 && allowed.length <= FEW && !allowed.some(isComposite);
  node[isSimple ? "enum" : "$among"] = allowed;
}

function isComposite(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function hasProto(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, "__proto__") || Object.values(value).some(hasProto);
}
