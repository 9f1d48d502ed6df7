import type { Rule } from "../core/rule.ts";
import type { Config } from "../node/config-file.ts";
import { recordTrust } from "../node/trust.ts";
import type { WebToolsSettings } from "../node/web/tools.ts";
import type { Reading } from "../node/read-workspace.ts";
import type { ShellRule } from "../tools/shell/rules.ts";
import { confirm } from "./ask.ts";
import { type Terminal, visible, visibleLine } from "./terminal.ts";

/** What a person agrees to by trusting a workspace. */
export interface TrustView {
  readonly workspace: string;
  readonly trusted: boolean;
  /** Whether an earlier state of it was trusted. */
  readonly changed: boolean;
  readonly digest: string;
  /** What would run, in words. */
  readonly runs: readonly string[];
  /** Every file that counts: a change in one of them asks again. */
  readonly files: readonly string[];
  /** The rules that let calls run without asking. */
  readonly allows: readonly string[];
  /** Where the web tools and the models of agents would go that they do not go by themselves. */
  readonly reaches: readonly string[];
}

/** What trusting a workspace means, for people and programs. */
export function toTrustView({ trust, sources, agents, plugins, config }: Reading): TrustView {
  const { workspace, trusted, changed, digest, files } = trust;
  const allowing = (config?.policy.rules ?? []).filter(({ approval }) => approval === "preApproved");
  const commands = (config?.shell?.entry.rules ?? []).filter(({ approval }) => approval === "preApproved");
  return {
    workspace,
    trusted,
    changed,
    digest,
    runs: [
      ...sources.map(({ label }) => label),
      ...agents.flatMap(({ layer, imports }) => (layer === "project" ? imports : [])),
      ...(plugins?.runs ?? []),
    ],
    files,
    allows: [...allowing.map(describeAllowing), ...commands.map(describeCommand)],
    reaches: config ? [...describeWeb(config.webTools), ...describeProviders(config.models)] : [],
  };
}

/** Shows what would run, and asks unless `yes` is given. Whether the person trusts it: then it is on record. */
export async function requestTrust(reading: Reading, home: string, terminal: Terminal, yes = false): Promise<boolean> {
  const show = yes ? terminal.note : terminal.warn;
  show(describeTrust(toTrustView(reading)));
  if (!yes && !(terminal.interactive && (await confirm("Trust it?")))) return false;
  recordTrust(reading.trust, home);
  return true;
}

function describeTrust({ workspace, changed, runs, files, allows, reaches }: TrustView): string {
  const part = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [title, ...lines.map((line) => `    ${visibleLine(line)}`)];
  return [
    `${visible(workspace)} ${changed ? "has changed since you trusted it" : "is not trusted"}.`,
    ...part("It would run, with all that you may do on this machine:", runs),
    ...part("Calls that would not ask you:", allows),
    ...part("The web tools and models would reach:", reaches),
    ...part("Files that count:", files),
  ].join("\n");
}

function describeWeb({ web = {}, search }: WebToolsSettings): string[] {
  return [
    ...(web.allow ?? []),
    ...(web.ports ?? []).map((port) => `port ${port} of every public host`),
    ...(web.proxy === undefined ? [] : [`everything through the proxy ${web.proxy}`]),
    ...(search?.url === undefined && search?.key === undefined
      ? []
      : [`${search.url ?? search.provider}, with ${search.key ?? `your key for ${search.provider}`}`]),
  ];
}

function describeProviders({ providers = {} }: Config["models"]): string[] {
  const elsewhere = Object.entries(providers).filter(([, { baseURL }]) => baseURL !== undefined);
  return elsewhere.map(([name, { baseURL }]) => `${baseURL}, for models of ${name} and all that they are told`);
}

function describeCommand({ pattern, unsafe, origin }: ShellRule): string {
  const where = origin ? ` (${origin.file}:${origin.line})` : "";
  return `commands that begin with ${pattern.trim()}${unsafe ? ", with any arguments" : ""}${where}`;
}

function describeAllowing({ tool, toolset, capability, input, origin }: Rule): string {
  const parts = Object.entries({ tool, toolset, capability }).filter(([, value]) => value !== undefined);
  const inputs = Object.entries(input ?? {}).map(([pointer, pattern]) => `${pointer} ${pattern}`);
  const where = origin ? ` (${origin.file}:${origin.line})` : "";
  return `${parts.map(([key, value]) => `${key} ${value}`).join(", ")}${inputs.length > 0 ? ` with ${inputs.join(", ")}` : ""}${where}`;
}
