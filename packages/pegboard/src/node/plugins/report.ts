import type { Diagnostic } from "../../core/diagnostic.ts";
import type { FieldReport, FileReport } from "../../core/file-report.ts";

/** What a reader found out about a file. */
export interface ReadFile {
  readonly loaded: boolean;
  readonly rung?: string;
  readonly item?: { readonly name?: string; readonly description?: string; readonly tools?: readonly string[] };
  readonly fields: readonly FieldReport[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What a file is, and whose form it has. */
export type Sort = Pick<FileReport, "kind" | "format">;

/** The report on a file that was read. */
export function toReport(path: string, { kind, format }: Sort, read: ReadFile): FileReport {
  const { loaded, rung, item, fields, diagnostics } = read;
  return {
    path,
    kind,
    format,
    loaded,
    ...(rung !== undefined && { rung }),
    ...(item?.name !== undefined && { name: item.name }),
    ...(item?.description !== undefined && { description: item.description }),
    ...(item?.tools && { tools: item.tools }),
    fields,
    diagnostics: diagnostics.map(withoutFile),
  };
}

/** The report on a file of which nothing came. */
export function brokenReport(path: string, sort: Sort, message: string): FileReport {
  const diagnostic: Diagnostic = { severity: "error", code: "not_loaded", message };
  return toReport(path, sort, { loaded: false, fields: [], diagnostics: [diagnostic] });
}

function withoutFile(diagnostic: Diagnostic): Omit<Diagnostic, "file"> {
  const { file: _, ...rest } = diagnostic;
  return rest;
}
