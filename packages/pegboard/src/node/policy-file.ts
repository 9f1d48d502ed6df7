import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ApprovalRequest } from "../core/approval.ts";
import type { Rule } from "../core/rule.ts";
import { type Config, readPolicy } from "./config-file.ts";
import { appendToList } from "../core/yaml.ts";

/** The person's own policy: what it says, or nothing when there is none. */
export async function readUserPolicy(home: string): Promise<Config | undefined> {
  const file = policyFile(home);
  return existsSync(file) ? readPolicy(file) : undefined;
}

/** Adds a rule at the end of the person's own policy; comments and order of the file stay. Resolves to the file. */
export async function saveUserRule(home: string, rule: Rule): Promise<string> {
  return change(home, (text) => appendToList(text, ["rules"], rule));
}

/** Adds patterns of commands at the end of the person's own rules for them. Resolves to the file. */
export async function saveShellRules(
  home: string,
  patterns: readonly string[],
  decision: "allow" | "deny",
): Promise<string> {
  const approval = decision === "allow" ? "preApproved" : "blocked";
  return change(home, (text) =>
    patterns.reduce((so, pattern) => appendToList(so, ["shell", "rules"], { pattern, approval }), text),
  );
}

function change(home: string, add: (text: string) => string): string {
  const file = policyFile(home);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const text = existsSync(file) ? readFileSync(file, "utf8") : "version: 1\n";
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, add(text), { mode: 0o600 });
  renameSync(draft, file);
  return file;
}

/** The rule that stands for an answer that holds from now on: this tool, as long as its definition stays the same. */
export function toSavedRule({ tool, digest }: ApprovalRequest, decision: "allow" | "deny"): Rule {
  return { tool, approval: decision === "allow" ? "preApproved" : "blocked", digest };
}

/** The file of the person's own policy. */
export function policyFile(home: string): string {
  return join(home, "policy.yaml");
}
