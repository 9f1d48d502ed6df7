import { type Expression, parseSync, Visitor } from "oxc-parser";

const ROOTS = ["test", "it", "describe", "suite"];

/**
 * The names of the tests and groups in a test file, `each` and other modifiers included. Where a name has holes, its
 * fixed parts count. What is skipped or still to do has no name here, nor has anything inside it. Throws on a syntax error.
 */
export function testNamesOf(file: string, source: string): string[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0]!.message}`);
  const names: string[] = [];
  let skipping = 0;
  new Visitor({
    CallExpression: (node) => {
      const chain = chainOf(node.callee);
      if (isSkipped(chain)) skipping++;
      const name = ROOTS.includes(chain[0] ?? "") && nameOf(node.arguments[0] as Expression | undefined);
      if (name && skipping === 0) names.push(name);
    },
    "CallExpression:exit": (node) => {
      if (isSkipped(chainOf(node.callee))) skipping--;
    },
  }).visit(program);
  return names;
}

/** `["test", "only", "each"]` for the callee of `test.only.each(table)("name")`; empty for anything else. */
function chainOf(node: Expression): string[] {
  if (node.type === "Identifier") return [node.name];
  if (node.type === "CallExpression") return chainOf(node.callee);
  if (node.type === "TaggedTemplateExpression") return chainOf(node.tag);
  if (node.type !== "MemberExpression" || node.property.type !== "Identifier") return [];
  const chain = chainOf(node.object);
  return chain.length === 0 ? [] : [...chain, node.property.name];
}

function isSkipped(chain: readonly string[]): boolean {
  return ROOTS.includes(chain[0] ?? "") && (chain.includes("skip") || chain.includes("todo"));
}

function nameOf(node: Expression | undefined): string | undefined {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  if (node?.type === "TemplateLiteral") return node.quasis.map((part) => part.value.cooked).join("…");
  return undefined;
}
