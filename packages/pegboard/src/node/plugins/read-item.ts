import type { FileReport } from "../../core/file-report.ts";

/** Something of a plugin that has a file of its own, and what became of that file. */
export interface ReadItem<T> {
  /** Absent: nothing came of the file. */
  readonly item?: T;
  readonly report: FileReport;
}

/** The items without those whose name an earlier one has: one file more must not cost the whole plugin. */
export function keepFirst<T extends { readonly name: string }>(read: readonly ReadItem<T>[]): readonly ReadItem<T>[] {
  const first = new Map<string, string>();
  return read.map((one): ReadItem<T> => {
    const { item, report } = one;
    const before = item && first.get(item.name);
    if (item && before === undefined) first.set(item.name, report.path);
    if (!item || before === undefined) return one;
    const message = `"${item.name}" is there already, of ${before}: this one is left out`;
    const diagnostic = { severity: "error", code: "duplicate", message } as const;
    return { report: { ...report, loaded: false, diagnostics: [...report.diagnostics, diagnostic] } };
  });
}
