import { ERRORS } from "@pegboard/contract";
import { type Diagnostic, describeDiagnostic } from "../core/diagnostic.ts";
import { PegboardError } from "../core/error.ts";
import { pointerSegment } from "../core/json.ts";
import { compileSchema, type Problem } from "../core/schema.ts";
import { parseYaml, type YamlFile } from "../core/yaml.ts";
import type { Script } from "./script.ts";

/**
 * Reads a script from YAML or JSON: a list of turns, or `turns`, or `scripts` with a `when` each. `file` is how messages
 * name it. Rejects with `invalid_config`, listing all that is wrong with its lines.
 */
export async function readScript(text: string, file: string): Promise<Script> {
  const yaml = parseYaml(text, file);
  if (yaml.diagnostics.length > 0) throw wrong(yaml.diagnostics);
  const { value } = yaml;
  const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
  if (!Array.isArray(value) && keys.includes("turns") === keys.includes("scripts"))
    throw wrong([{ ...ERROR, message: "a script is a list of turns, or has either turns or scripts", file, line: 1 }]);
  const checked = await compileSchema(Array.isArray(value) ? TURNS : SCRIPT).check(value);
  if (!checked.ok) throw wrong(checked.problems.map((problem) => toDiagnostic(problem, file, yaml)));
  return value as Script;
}

const ERROR = { severity: "error", code: "invalid_value" } as const;

const WAIT = {
  anyOf: [
    { type: "number", minimum: 0 },
    { type: "string", pattern: "^\\d+(\\.\\d+)?(ms|s|m|h|d)$" },
  ],
};
const COUNT = { type: "integer", minimum: 0 };

const TURN = {
  type: "object",
  minProperties: 1,
  additionalProperties: false,
  properties: {
    text: { type: "string" },
    reasoning: { type: "string" },
    calls: {
      type: "array",
      items: {
        type: "object",
        required: ["tool"],
        additionalProperties: false,
        properties: { tool: { type: "string" }, input: {}, raw: { type: "string" }, id: { type: "string" } },
      },
    },
    error: {
      type: "object",
      additionalProperties: false,
      properties: {
        status: { type: "integer", minimum: 400, maximum: 599 },
        code: { enum: Object.keys(ERRORS) },
        message: { type: "string" },
        retryAfter: WAIT,
      },
    },
    cut: { type: "boolean" },
    delay: WAIT,
    usage: {
      type: "object",
      required: ["input", "output"],
      additionalProperties: false,
      properties: { input: COUNT, output: COUNT, cached: COUNT, written: COUNT, reasoning: COUNT },
    },
    reason: { enum: ["stop", "calls", "length", "filter", "other"] },
    expect: { type: "string" },
  },
};

const TURNS = { type: "array", items: { anyOf: [{ type: "string" }, TURN] } };

const SCRIPT = {
  type: "object",
  additionalProperties: false,
  properties: {
    turns: TURNS,
    scripts: {
      type: "array",
      items: {
        type: "object",
        required: ["turns"],
        additionalProperties: false,
        properties: {
          when: {
            type: "object",
            additionalProperties: false,
            properties: { system: { type: "string" }, prompt: { type: "string" } },
          },
          turns: TURNS,
        },
      },
    },
  },
};

function toDiagnostic({ path, message, params }: Problem, file: string, yaml: YamlFile): Diagnostic {
  // A person looks for the unknown key, not for what holds it.
  const key = params?.["additionalProperty"];
  const { line, column } = yaml.at(typeof key === "string" ? path + pointerSegment(key) : path);
  const where = path === "" ? "" : `${path}: `;
  return { ...ERROR, message: `${where}${message}`, file, line, column };
}

function wrong(diagnostics: readonly Diagnostic[]): PegboardError {
  return new PegboardError("invalid_config", diagnostics.map(describeDiagnostic).join("\n"));
}
