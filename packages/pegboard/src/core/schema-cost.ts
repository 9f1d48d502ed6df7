import type { PlanNode } from "./schema-keywords.ts";

/** What one visit of a node costs: a fixed amount, and the size of the value this many times. */
export interface Fuel {
  readonly amount: number;
  readonly passes: number;
}

/** What the check of one value may cost, in units of about 10 ns. */
export const TANK = 5_000_000;

/** From this many on, required keys are checked in a loop. */
export const FEW_REQUIRED = 8;

/**
 * Writes into every node that may be visited more often than there are places in the schema what a visit costs; nodes
 * that are reached by `properties` alone are not among them. Returns how much there is to compile: about the number
 * of places at which a value can fail.
 */
export function addCosts(root: PlanNode): number {
  let checks = 0;
  visit(root, 0, 0);
  return checks;

  function visit(node: PlanNode, length: number, factor: number): void {
    let own = factor > 0 ? 1 : 0.5;
    for (const keyword of Object.keys(node)) {
      const value = node[keyword];
      own += checksOf(keyword, value);
      const below = FACTORS.get(keyword);
      if (below === undefined || typeof value !== "object") continue;
      const children = MANY.has(keyword) ? Object.entries(value as object) : [["", value] as const];
      for (const [key, child] of children)
        visit(child, length + keyword.length + key.length + 2, Math.max(factor, below));
    }
    // The engine writes the path into the code of every check.
    checks += own * (1 + length / 200);
    const fuel: Fuel = { amount: factor * amountOf(node), passes: passesOf(node) };
    // Where the keys are gone through many times, also a node that is visited once can cost too much.
    if (fuel.amount > 0 || fuel.passes > 2) node.$fuel = fuel;
  }
}

// To fail costs about this much more than to pass, and an alternative that fails leaves no error that could be counted.
const TENTATIVE = 40;

/** The keywords that hold nodes, and the least factor for the cost of those. */
const FACTORS: ReadonlyMap<string, number> = new Map([
  ["properties", 0],
  ["additionalProperties", 1],
  ["allOf", 1],
  ["dependentSchemas", 1],
  ["else", 1],
  ["items", 1],
  ["patternProperties", 1],
  ["prefixItems", 1],
  ["propertyNames", 1],
  ["then", 1],
  ["unevaluatedItems", 1],
  ["unevaluatedProperties", 1],
  ["$defs", TENTATIVE],
  ["anyOf", TENTATIVE],
  ["contains", TENTATIVE],
  ["if", TENTATIVE],
  ["not", TENTATIVE],
  ["oneOf", TENTATIVE],
]);
const MANY = new Set([
  "$defs",
  "allOf",
  "anyOf",
  "dependentSchemas",
  "oneOf",
  "patternProperties",
  "prefixItems",
  "properties",
]);

function checksOf(keyword: string, value: unknown): number {
  switch (keyword) {
    case "$defs":
    case "allOf":
    case "default":
    case "items":
    case "prefixItems":
    case "properties":
      return 0;
    case "required":
      return Math.min(FEW_REQUIRED, (value as unknown[]).length);
    case "dependentRequired":
      return Object.values(value as object).flat().length;
    case "oneOf":
      // Each alternative is nested in the one before.
      return 1 + (value as unknown[]).length ** 2 / 250;
    case "enum":
      return 1 + (value as unknown[]).length / 20;
    case "pattern":
      return 3;
    case "patternProperties":
      return 2 * Object.keys(value as object).length;
    default:
      return 1;
  }
}

/** How often all keys or characters of the value are gone through. */
function passesOf(node: PlanNode): number {
  let passes = 0;
  for (const keyword of Object.keys(node)) {
    if (keyword === "patternProperties") passes += Object.keys(node[keyword] as object).length;
    else if (PASSING.has(keyword)) passes++;
  }
  return passes;
}

const PASSING = new Set([
  "additionalProperties",
  "maxLength",
  "maxProperties",
  "minLength",
  "minProperties",
  "propertyNames",
  "unevaluatedProperties",
]);

/** What a visit of the node costs when it passes, its children not counted; 0 when it checks nothing. */
function amountOf(node: PlanNode): number {
  const keywords = Object.keys(node).filter((keyword) => keyword !== "default").length;
  if (keywords === 0) return 0;
  const { required = [], enum: values = [], properties = {} } = node;
  const children = Object.values(properties as Record<string, PlanNode>);
  const defaults = children.reduce((sum, child) => sum + ("default" in child ? 12 * countValues(child.default) : 0), 0);
  const compared = [required, values, children].flat().length;
  return keywords + Math.ceil(compared / 4) + defaults;
}

function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, member) => sum + countValues(member), 1);
}
