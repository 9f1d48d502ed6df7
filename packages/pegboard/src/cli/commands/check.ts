import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { describeDiagnostic } from "../../core/diagnostic.ts";
import type { FileReport } from "../../core/file-report.ts";
import { checkPaths } from "../../node/check.ts";
import { CONFIG_FILE } from "../../node/places.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { createProgressBar } from "../progress-bar.ts";
import { toSettings } from "../settings.ts";
import { type Terminal, visibleLine } from "../terminal.ts";
import { noWorkspace } from "../workspace.ts";

/**
 * Checks files, by default those of the workspace, and prints what became of each as soon as it is known. Fails when
 * something did not load; `--strict` counts warnings too.
 */
export async function check({ arguments: [given], options, terminal }: CommandInput): Promise<number> {
  const { workspace, home, trust } = toSettings(options);
  const paths = given as readonly string[];
  if (paths.length === 0 && !existsSync(join(workspace.value, CONFIG_FILE))) throw noWorkspace(workspace.value);
  const bar = createProgressBar({ quiet: options.quiet });
  const printed = options.json ? jsonPrinter(terminal) : textPrinter(terminal);
  const summary = { files: 0, loaded: 0, errors: 0, warnings: 0 };
  const files = checkPaths(paths.length > 0 ? paths : [workspace.value], {
    home: home.value,
    trust: trust.value,
    ...(options.hostTools && { hostTools: options.hostTools }),
    onProgress: bar.show,
  });
  for await (const file of files) {
    bar.clear();
    printed.file(file);
    summary.files++;
    if (file.loaded) summary.loaded++;
    for (const { severity } of file.diagnostics) summary[severity === "error" ? "errors" : "warnings"]++;
  }
  bar.clear();
  printed.end(summary);
  const failed =
    summary.loaded < summary.files || summary.errors > 0 || (options.strict === true && summary.warnings > 0);
  return failed ? EXIT.failed : EXIT.done;
}

interface Printer {
  file(file: FileReport): void;
  end(summary: Readonly<Record<"files" | "loaded" | "errors" | "warnings", number>>): void;
}

/** One document, of which a file is a line: a reader need not wait for its end. */
function jsonPrinter(terminal: Terminal): Printer {
  let before = '{"files":[\n';
  return {
    file(file) {
      terminal.write(before + JSON.stringify(file));
      before = ",\n";
    },
    end(summary) {
      const start = before === ",\n" ? "\n" : before;
      terminal.print(`${start}],"summary":${JSON.stringify(summary)}}`);
    },
  };
}

function textPrinter(terminal: Terminal): Printer {
  return {
    file: (file) => terminal.print(describe(file, terminal)),
    end: ({ files, loaded, errors, warnings }) =>
      terminal.print(`${loaded} of ${files} files loaded, ${errors} errors, ${warnings} warnings`),
  };
}

function describe({ path, kind, loaded, name, tools, diagnostics }: FileReport, { style }: Terminal): string {
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
