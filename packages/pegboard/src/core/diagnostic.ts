/** Something about a file that a person should know. An error means that something of it was not loaded. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  /** A stable word for programs, such as `unknown_key`. */
  readonly code: string;
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly fix?: string;
}

/** A diagnostic in a line: `file:line:column: message`. */
export function describeDiagnostic({ file, line, column, message, fix }: Diagnostic): string {
  const where =
    file === undefined
      ? ""
      : `${[file, line, line === undefined ? undefined : column].filter((part) => part !== undefined).join(":")}: `;
  return `${where}${message}${fix ? ` (${fix})` : ""}`;
}
