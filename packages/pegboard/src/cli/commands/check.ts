import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { describeDiagnostic } from "../../core/diagnostic.ts";
import { type CheckedFile, checkPaths } from "../../node/check.ts";
import { CONFIG_FILE } from "../../node/places.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { toSettings } from "../settings.ts";
import { type Terminal, visibleLine } from "../terminal.ts";
import { noWorkspace } from "../workspace.ts";

/** Checks files, by default those of the workspace. Fails when something did not load; `--strict` counts warnings too. */
export async function check({ arguments: [given], options, terminal }: CommandInput): Promise<number> {
  const { workspace, home, trust } = toSettings(options);
  const paths = given as readonly string[];
  if (paths.length === 0 && !existsSync(join(workspace.value, CONFIG_FILE))) throw noWorkspace(workspace.value);
  const files = await checkPaths(paths.length > 0 ? paths : [workspace.value], {
    home: home.value,
    trust: trust.value,
    ...(options.hostTools && { hostTools: options.hostTools }),
  });
  const diagnostics = files.flatMap((file) => file.diagnostics);
  const summary = {
    files: files.length,
    loaded: files.filter(({ loaded }) => loaded).length,
    errors: diagnostics.filter(({ severity }) => severity === "error").length,
    warnings: diagnostics.filter(({ severity }) => severity === "warning").length,
  };
  if (options.json) terminal.print(JSON.stringify({ files, summary }, null, 2));
  else {
    for (const file of files) terminal.print(describe(file, terminal));
    terminal.print(
      `${summary.loaded} of ${summary.files} files loaded, ${summary.errors} errors, ${summary.warnings} warnings`,
    );
  }
  const failed =
    summary.loaded < summary.files || summary.errors > 0 || (options.strict === true && summary.warnings > 0);
  return failed ? EXIT.failed : EXIT.done;
}

function describe({ path, kind, loaded, name, tools, diagnostics }: CheckedFile, { style }: Terminal): string {
  const color = { error: "red", warning: "yellow" } as const;
  const bad = !loaded || diagnostics.some(({ severity }) => severity === "error");
  const yields = name ?? tools?.join(", ") ?? "";
  return [
    `${bad ? style("red", "failed") : style("green", "ok    ")}  ${style("bold", visibleLine(relative(process.cwd(), path) || path))}  ${style("dim", `${kind}${yields === "" ? "" : `: ${visibleLine(yields)}`}`)}`,
    ...diagnostics.map((diagnostic) => {
      const { severity, line } = diagnostic;
      return `        ${style(color[severity], severity)}: ${line === undefined ? "" : `line ${line}: `}${visibleLine(describeDiagnostic(diagnostic))}`;
    }),
  ].join("\n");
}
