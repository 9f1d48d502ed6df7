import { toolsOf } from "../../agents/foreign/tool-names.ts";
import { messageOf } from "../../core/error.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import type { FieldReport, FileReport } from "../../core/file-report.ts";
import { isObject } from "../../plugins/json-file.ts";
import { parseToml } from "../../plugins/toml.ts";
import type { PluginFolder } from "./plugin-folder.ts";
import { brokenReport, type Sort, toReport } from "./report.ts";

const SORT: Sort = { kind: "policy", format: "gemini" };

/**
 * Reports the policies of an extension of Gemini. None is in force: what one allows only the operator can, and what one
 * forbids is told as the rule that would. Never rejects.
 */
export async function reportPolicies(folder: PluginFolder, path: string): Promise<readonly FileReport[]> {
  const entries = (await folder.list(path).catch(() => [])) ?? [];
  const files = entries.filter(({ name, type }) => type === "file" && name.endsWith(".toml"));
  return Promise.all(files.map(({ name }) => reportPolicy(folder, `${path}/${name}`)));
}

async function reportPolicy(folder: PluginFolder, path: string): Promise<FileReport> {
  const file = folder.absolute(path);
  try {
    const { value, diagnostics } = parseToml((await folder.read(path)) ?? "", file);
    if (!value) return toReport(file, SORT, { loaded: false, fields: [], diagnostics });
    const rules = Array.isArray(value["rule"]) ? (value["rule"] as readonly unknown[]) : [];
    const others = Object.keys(value).filter((key) => key !== "rule");
    const fields = [
      ...rules.map((rule, index) => toFieldReport(`rule[${index}]`, isObject(rule) ? rule : {})),
      ...others.map((field): FieldReport => ({ field, became: "ignored", note: "says nothing that Pegboard acts on" })),
    ];
    return toReport(file, SORT, { loaded: false, fields, diagnostics: fields.flatMap(toDiagnostic) });
  } catch (error) {
    return brokenReport(file, SORT, messageOf(error));
  }
}

/** Conditions on inputs, in its own words. */
const CONDITIONS = ["argsPattern", "commandPrefix", "commandRegex", "toolAnnotations"];

function toFieldReport(field: string, rule: Readonly<Record<string, unknown>>): FieldReport {
  const { decision, toolName, mcpName } = rule;
  if (decision === "allow") return { field, became: "unsafe", note: "only the operator allows something" };
  if (decision !== "deny" && decision !== "ask_user") return { field, became: "ignored", note: "it decides nothing" };
  const approval = decision === "deny" ? "blocked" : "ask";
  const tools = toTools(toolName, mcpName).map((tool) => `{ tool: "${tool}", approval: ${approval} }`);
  const some = CONDITIONS.filter((key) => rule[key] !== undefined);
  const only = some.length === 0 ? "" : ` (there for certain inputs only: ${some.join(", ")})`;
  return { field, became: "ignored", note: `not in force; a rule of the policy would be: ${tools.join(", ")}${only}` };
}

function toTools(tool: unknown, server: unknown): readonly string[] {
  const names = (Array.isArray(tool) ? tool : [tool ?? "*"]).filter((name): name is string => typeof name === "string");
  if (typeof server === "string") return names.map((name) => `${server}__${name}`);
  return names.flatMap((name) => (toolsOf(name)?.length ? toolsOf(name)! : [name]));
}

/** What would have forbidden something is missed where nobody says so. */
function toDiagnostic({ field, became, note = "" }: FieldReport): readonly Diagnostic[] {
  if (became !== "ignored" || !note.startsWith("not in force")) return [];
  return [{ severity: "warning", code: "policy_not_applied", message: `${field} is ${note}` }];
}
