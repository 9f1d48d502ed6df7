import type { EngineError } from "./schema-engine.ts";
import type { PlanNode } from "./schema-keywords.ts";
import { isObject } from "./schema-lint.ts";

/** More errors than anybody reads; the rest are not looked at. */
const MOST = 1_000;

/**
 * Shortens what the engine found to what helps: of `anyOf` and `oneOf` only the alternative that was most likely meant,
 * of other keywords that hold schemas either the errors within or the one about them. `root` is the plan.
 */
export function condense(errors: readonly EngineError[], root: PlanNode): EngineError[] {
  const nodesBelow = createNodesBelow(root);
  const kept: EngineError[] = [];
  for (const error of errors.slice(0, MOST)) {
    const { keyword, parentSchema } = error;
    if (keyword === "if" || keyword === "propertyNames") continue;
    if (keyword === "contains") {
      takeWithin(kept, error, [nodesBelow(parentSchema!.contains as PlanNode)]);
      kept.push(error);
    } else if (keyword === "anyOf" || keyword === "oneOf") {
      const alternatives = parentSchema![keyword] as PlanNode[];
      kept.push(...toLikely(error, takeWithin(kept, error, alternatives.map(nodesBelow))));
    } else kept.push(error);
  }
  return kept;
}

/** Takes the errors that came from within from the end of the list, by alternative. They came in order. */
function takeWithin(kept: EngineError[], error: EngineError, alternatives: ReadonlySet<unknown>[]): EngineError[][] {
  const taken: EngineError[][] = alternatives.map(() => []);
  let at = alternatives.length - 1;
  for (let last = kept.at(-1); last?.instancePath.startsWith(error.instancePath); last = kept.at(-1)) {
    while (at >= 0 && !alternatives[at]!.has(last.parentSchema)) at--;
    if (at < 0) break;
    taken[at]!.unshift(last);
    kept.pop();
  }
  return taken;
}

function toLikely(error: EngineError, alternatives: EngineError[][]): EngineError[] {
  if (Array.isArray(error.params.passingSchemas)) return [error];
  const here = error.instancePath;
  const types = alternatives.map(([first, ...more]) =>
    more.length === 0 && first?.instancePath === here ? first : undefined,
  );
  if (types.every((only) => only?.keyword === "type")) return [merge(types, "type", (only) => only.params.type)];

  const likely = alternatives.filter((errors) => errors.length > 0 && !errors.some((inner) => rulesOut(inner, here)));
  if (likely.length === 1) return likely[0]!;
  const tags = alternatives.map((errors) => errors.find((inner) => isTag(inner, here)));
  if (likely.length === 0 && tags.every((tag) => tag !== undefined && tag.instancePath === tags[0]?.instancePath)) {
    return [merge(tags, "enum", (tag) => tag.params.allowedValues ?? [tag.params.allowedValue])];
  }
  const nearest = likely.reduce<EngineError[]>(
    (best, errors) => (best.length === 0 || errors.length < best.length ? errors : best),
    [],
  );
  return [error, ...nearest];
}

function merge(
  errors: readonly (EngineError | undefined)[],
  keyword: "type" | "enum",
  read: (error: EngineError) => unknown,
): EngineError {
  const all = [...new Set(errors.flatMap((error) => read(error!)))];
  return { ...errors[0]!, keyword, params: keyword === "type" ? { type: all } : { allowedValues: all } };
}

/** Whether an error shows that its alternative was not meant: another type, or another value of the key that tells them apart. */
function rulesOut(error: EngineError, here: string): boolean {
  return (error.keyword === "type" && error.instancePath === here) || isTag(error, here);
}

function isTag({ keyword, instancePath }: EngineError, here: string): boolean {
  return (keyword === "const" || keyword === "enum") && instancePath.lastIndexOf("/") <= here.length;
}

/** All nodes of the plan that an error within a node can be about. */
function createNodesBelow(root: PlanNode): (node: PlanNode) => ReadonlySet<unknown> {
  const known = new Map<PlanNode, Set<unknown>>();
  const definitions = (root.$defs ?? {}) as Record<string, PlanNode>;
  return (node) => {
    let nodes = known.get(node);
    if (!nodes) {
      known.set(node, (nodes = new Set()));
      collect(node, nodes);
    }
    return nodes;
  };

  function collect(value: unknown, nodes: Set<unknown>): void {
    if (typeof value !== "object" || value === null || nodes.has(value)) return;
    nodes.add(value);
    for (const member of Object.values(value)) collect(member, nodes);
    if (isObject(value) && typeof value.$ref === "string")
      collect(definitions[value.$ref.slice("#/$defs/".length)], nodes);
  }
}
