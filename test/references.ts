import {
  type CallExpression,
  type ExportSpecifier,
  type Expression,
  type ImportDeclarationSpecifier,
  type ModuleExportName,
  parseSync,
  Visitor,
} from "oxc-parser";

/** One place where a file names another module. */
export interface Reference {
  /** Absent when only running the program could tell. */
  readonly specifier?: string;
  /** What is taken of the module, where that is said name by name. */
  readonly names?: readonly string[];
  /** Nothing of it is left at run time. `import { type X }` is not of this kind: the import itself stays. */
  readonly typeOnly: boolean;
  readonly line: number;
}

/**
 * Every module that a file names, in whatever form: imports and re-exports, types included, dynamic imports, `require`
 * under any name that `createRequire` gave it, `import.meta.resolve`, `process.getBuiltinModule`. Throws on a syntax error.
 */
export function referencesOf(file: string, source: string): Reference[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0]!.message}`);
  const references: Reference[] = [];
  const requires = new Set(["require"]);

  const add = (
    name: Expression | undefined,
    at: { start: number },
    kind: "value" | "type" = "value",
    names?: readonly string[],
  ): void => {
    const specifier = name && literalText(name);
    const line = source.slice(0, at.start).split("\n").length;
    const typeOnly = kind === "type";
    references.push({ ...(specifier !== undefined && { specifier }), ...(names && { names }), typeOnly, line });
  };

  new Visitor({
    ImportDeclaration: (node) => add(node.source, node, node.importKind ?? "value", namesOf(node.specifiers)),
    ExportAllDeclaration: (node) => add(node.source, node, node.exportKind ?? "value"),
    ExportNamedDeclaration: (node) => {
      if (node.source) add(node.source, node, node.exportKind ?? "value", namesOf(node.specifiers));
    },
    TSImportEqualsDeclaration: (node) => {
      if (node.moduleReference.type !== "TSExternalModuleReference") return;
      add(node.moduleReference.expression, node, node.importKind ?? "value");
    },
    TSImportType: (node) => add(node.source, node, "type"),
    ImportExpression: (node) => add(node.source, node),
    VariableDeclarator: (node) => {
      if (node.id.type === "Identifier" && isCreateRequire(node.init)) requires.add(node.id.name);
    },
    CallExpression: (node) => {
      if (namesModule(node, requires)) add(node.arguments[0] as Expression | undefined, node);
    },
  }).visit(program);
  return references;
}

/** The names that stand in braces; undefined when there are none, or when more is taken than those. */
function namesOf(specifiers: readonly (ImportDeclarationSpecifier | ExportSpecifier)[]): string[] | undefined {
  const names = specifiers.map((specifier) => {
    if (specifier.type === "ImportSpecifier") return nameOf(specifier.imported);
    return specifier.type === "ExportSpecifier" ? nameOf(specifier.local) : undefined;
  });
  return names.length > 0 && names.every((name) => name !== undefined) ? names : undefined;
}

function nameOf(node: ModuleExportName): string {
  return node.type === "Literal" ? node.value : node.name;
}

/** The text of a string, or of a template without holes. */
function literalText(node: Expression): string | undefined {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type === "TemplateLiteral" && node.expressions.length === 0)
    return node.quasis[0]!.value.cooked ?? undefined;
  return undefined;
}

function namesModule({ callee }: CallExpression, requires: ReadonlySet<string>): boolean {
  if (callee.type === "Identifier") return requires.has(callee.name);
  if (isCreateRequire(callee)) return true;
  if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return false;
  const { object, property } = callee;
  if (property.name === "getBuiltinModule") return true;
  if (property.name !== "resolve") return false;
  return object.type === "MetaProperty" || (object.type === "Identifier" && requires.has(object.name));
}

function isCreateRequire(node: Expression | null): boolean {
  if (node?.type !== "CallExpression") return false;
  const { callee } = node;
  if (callee.type === "Identifier") return callee.name === "createRequire";
  return (
    callee.type === "MemberExpression" &&
    callee.property.type === "Identifier" &&
    callee.property.name === "createRequire"
  );
}
