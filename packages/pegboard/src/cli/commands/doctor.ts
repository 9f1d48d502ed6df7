import { describeDiagnostic } from "../../core/diagnostic.ts";
import { messageOf, PegboardError } from "../../core/error.ts";
import { describeProviders } from "../../node/models.ts";
import { readWorkspace } from "../../node/read-workspace.ts";
import { ruleNameProblem } from "../../node/rule-names.ts";
import { openWorkspace, type Workspace } from "../../node/workspace.ts";
import { type Check, checkData, checkPlatform, checkSandbox, checkStore } from "../checks.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { type Settings, toSettings } from "../settings.ts";
import { toLines } from "../table.ts";
import { type Terminal, visibleLine } from "../terminal.ts";
import { closeWorkspace } from "../workspace.ts";

/** Checks that everything is in order. The exit code is 1 when something is not. */
export async function doctor({ options, terminal }: CommandInput): Promise<number> {
  const settings = toSettings(options);
  const checks = [
    ...checkPlatform(),
    ...(await checkWorkspace(settings, terminal)),
    checkData(settings),
    await checkStore(settings),
  ];
  const failed = checks.some(({ status }) => status === "fail");
  if (options.json) terminal.print(JSON.stringify({ ok: !failed, checks }, null, 2));
  else for (const line of describe(checks, terminal)) terminal.print(line);
  return failed ? EXIT.failed : EXIT.done;
}

async function checkWorkspace(settings: Settings, terminal: Terminal): Promise<readonly Check[]> {
  let workspace: Workspace;
  try {
    workspace = await openWorkspace(settings.workspace.value, {
      home: settings.home.value,
      trust: settings.trust.value,
    });
  } catch (error) {
    const fix =
      error instanceof PegboardError && error.code === "invalid_config"
        ? "mend the file; pegboard check says more"
        : undefined;
    return [{ name: "workspace", status: "fail", detail: messageOf(error), ...(fix && { fix }) }];
  }
  try {
    return [
      describeWorkspace(workspace),
      describeTrust(workspace, settings),
      ...describeLoading(workspace),
      ...describePlugins(workspace),
      describePolicy(workspace),
      ...describeIdle(workspace),
      ...describeUnsafe(workspace),
      describeTools(workspace),
      await describeModels(settings),
      await checkSandbox(workspace.sandbox),
    ];
  } finally {
    await closeWorkspace(workspace, terminal);
  }
}

function describeWorkspace({ file, folder }: Workspace): Check {
  if (file !== undefined) return { name: "workspace", status: "ok", detail: file };
  return {
    name: "workspace",
    status: "warn",
    detail: `no pegboard.yaml in ${folder}, nor above`,
    fix: "pegboard init",
  };
}

function describeTrust({ file, trust, held }: Workspace, { trust: vouched }: Settings): Check {
  const name = "trust";
  if (file === undefined) return { name, status: "ok", detail: "nothing to trust" };
  if (trust.trusted) return { name, status: "ok", detail: "trusted as it is" };
  if (vouched.value) return { name, status: "ok", detail: `trusted for this start (${vouched.origin})` };
  const detail = `${trust.changed ? "changed since it was trusted" : "not trusted"}; held back: ${held.join(", ") || "nothing"}`;
  return { name, status: "warn", detail, fix: "look at it and run: pegboard trust" };
}

function describeLoading({ diagnostics }: Workspace): readonly Check[] {
  if (diagnostics.length === 0)
    return [{ name: "loading", status: "ok", detail: "everything that may load has loaded" }];
  return diagnostics.map((diagnostic) => ({
    name: "loading",
    status: diagnostic.severity === "error" ? "fail" : "warn",
    detail: describeDiagnostic(diagnostic),
    fix: diagnostic.fix ?? "mend it where it says; pegboard check says more",
  }));
}

function describePlugins({ plugins }: Workspace): readonly Check[] {
  return plugins
    .list()
    .filter(({ status }) => status === "failed" || status === "degraded")
    .map(({ name, status, reason }) => ({
      name: "plugin",
      status: "warn",
      detail: `${name} ${status}: ${reason}`,
      fix: `mend it, or give it what it needs: pegboard plugin config ${name} shows its settings`,
    }));
}

function describePolicy({ policy }: Workspace): Check {
  const files = Map.groupBy(policy.rules, ({ origin }) => origin?.file ?? "");
  const counts = Array.from(files, ([file, rules]) => `${rules.length} in ${file}`);
  return {
    name: "policy",
    status: "ok",
    detail: counts.length === 0 ? "no rules: what reads runs, everything else asks" : `rules: ${counts.join(", ")}`,
  };
}

/** Rules that name a tool which is not there, or not clearly: a slip would leave what is meant without its rule. */
function describeIdle({ policy, tools, held }: Workspace): readonly Check[] {
  if (held.length > 0) return [];
  return policy.rules.flatMap((rule): Check[] => {
    const { origin } = rule;
    const place = origin ? ` (${origin.file}:${origin.line})` : "";
    const problem = ruleNameProblem(rule, tools);
    const fix = "write the name that is meant; pegboard list shows which tools there are";
    return problem === undefined ? [] : [{ name: "rule", status: "warn", detail: `${problem}${place}`, fix }];
  });
}

function describeUnsafe({ policy, tools }: Workspace): readonly Check[] {
  const wide = policy.rules
    .filter(({ unsafe }) => unsafe)
    .map((rule) => ({ rule: `${rule.tool ?? rule.toolset ?? rule.capability} → ${rule.approval}`, ...rule.origin }));
  const unsafe = [...tools.list().flatMap(({ judge }) => judge?.unsafe ?? []), ...wide];
  if (unsafe.length === 0) return [];
  const shown = unsafe.map(({ rule, file, line }) => `${rule}${file === undefined ? "" : ` (${file}:${line})`}`);
  return [
    {
      name: "unsafe",
      status: "warn",
      detail: `rules that allow without looking: ${shown.join("; ")}`,
      fix: "name what they are to allow, or leave out unsafe",
    },
  ];
}

function describeTools({ tools }: Workspace): Check {
  const kinds = Map.groupBy(tools.list(), ({ source }) => source.kind);
  return {
    name: "tools",
    status: "ok",
    detail: Array.from(kinds, ([kind, list]) => `${list.length} ${kind}`).join(", "),
  };
}

async function describeModels({ workspace, home, trust }: Settings): Promise<Check> {
  const { config, runs } = await readWorkspace(workspace.value, { home: home.value, trust: trust.value });
  const providers = describeProviders(runs ? config?.models : undefined);
  const list = (ready: boolean) =>
    providers
      .filter((provider) => provider.ready === ready)
      .map(({ provider, from, missing = [] }) => `${provider} (${from ?? missing.join(" or ")})`)
      .join(", ");
  return { name: "models", status: "ok", detail: `set: ${list(true)}; not set: ${list(false) || "none"}` };
}

const STYLES = { ok: "green", warn: "yellow", fail: "red" } as const;

function describe(checks: readonly Check[], { style }: Terminal): readonly string[] {
  return toLines(
    checks.map(({ name, status, detail, fix }) => [
      { text: status, show: (text) => style(STYLES[status], text) },
      { text: name, show: (text) => style("bold", text) },
      { text: `${visibleLine(detail)}${fix === undefined ? "" : ` → ${visibleLine(fix)}`}` },
    ]),
  );
}
