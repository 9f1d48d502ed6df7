import type { Agent } from "@pegboard/contract";
import { type AgentFile, parseAgentFile } from "../../agents/agent-file.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { messageOf, PegboardError } from "../../core/error.ts";
import type { FileReport } from "../../core/file-report.ts";
import type { Manifest, ManifestAgent } from "./manifest.ts";
import { leavesFolder } from "./manifest-meaning.ts";
import type { PluginFolder } from "./plugin-folder.ts";
import { toReport } from "./report.ts";

/** The agents of a manifest, and what was wrong with some. */
export interface ManifestAgents {
  readonly agents: readonly Agent[];
  readonly diagnostics: readonly Diagnostic[];
  readonly reports: readonly FileReport[];
}

type At = (pointer: string) => Pick<Diagnostic, "file" | "line" | "column">;

/** Reads the files of a manifest's agents. Whatever is wrong with one leaves the others. Never rejects. */
export async function readManifestAgents(
  { agents = [] }: Manifest,
  folder: PluginFolder,
  at: At,
): Promise<ManifestAgents> {
  const found: Agent[] = [];
  const diagnostics: Diagnostic[] = [];
  const reports: FileReport[] = [];
  const seen = new Set<string>();
  for (const [index, entry] of agents.entries()) {
    const pointer = `/agents/${index}`;
    const tell = (severity: Diagnostic["severity"], code: string, message: string) =>
      diagnostics.push({ severity, code, message: `${pointer}: ${message}`, ...at(pointer) });
    const { name, system_prompt_file: path } = entry;
    if (!isText(name) || !isText(path)) {
      tell(
        "warning",
        "invalid_agent",
        `${isText(name) ? "system_prompt_file" : "name"} is missing: the agent is left out`,
      );
      continue;
    }
    if (seen.has(name)) {
      tell("warning", "duplicate", `there is an agent "${name}" already: the first one is kept`);
      continue;
    }
    seen.add(name);
    const text = await readPrompt(folder, path).catch((error: unknown) => error as Error);
    if (typeof text !== "string") {
      tell("error", "not_read", `agent "${name}" is left out: ${messageOf(text)}`);
      continue;
    }
    const file = folder.absolute(path);
    const parsed = refuseIdentity(parseAgentFile(text, { file, name, manifest: toFields(entry) }), file);
    diagnostics.push(...parsed.diagnostics);
    const { agent, ...rest } = parsed;
    const loaded = agent !== undefined;
    reports.push(
      toReport(file, { kind: "agent", format: "pegboard" }, { ...rest, loaded, ...(agent && { item: agent }) }),
    );
    if (agent) found.push(agent);
  }
  return { agents: found, diagnostics, reports };
}

/** A path must stay inside as it is written, and once links are followed. */
async function readPrompt(folder: PluginFolder, path: string): Promise<string> {
  if (leavesFolder(path)) throw new PegboardError("denied", `${path} is outside of the plugin, and is not read`);
  const text = await folder.read(path);
  if (text !== undefined) return text;
  throw new PegboardError("not_found", `there is no file ${folder.absolute(path)}`);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** The fields of an entry, as a front matter spells them. */
function toFields(entry: ManifestAgent): Readonly<Record<string, unknown>> {
  const { system_prompt_file: _, usage_guidelines: guidelines, description, ...fields } = entry;
  const words = [description, guidelines].filter((text) => text !== undefined);
  return { ...fields, ...(words.length > 0 && { description: words.join("\n\n") }) };
}

/** Who an agent belongs to is where it lies, never what it says. */
function refuseIdentity(parsed: AgentFile, file: string): AgentFile {
  const claim = parsed.fields.find(({ field }) => /^_?plugin_?name$/i.test(field));
  if (!claim) return parsed;
  const { agent: _, ...rest } = parsed;
  return {
    ...rest,
    fields: parsed.fields.map((one) => (one === claim ? { ...one, became: "unsafe" } : one)),
    diagnostics: [
      ...parsed.diagnostics,
      {
        severity: "error",
        code: "claimed_identity",
        message: `${claim.field} says whose agent this is, which no file may say: the agent is left out`,
        file,
        fix: `take ${claim.field} out`,
      },
    ],
  };
}
