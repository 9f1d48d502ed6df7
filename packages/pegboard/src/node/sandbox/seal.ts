import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { PegboardError } from "../../core/error.ts";
import { withMentionedFiles } from "../mentioned-files.ts";

/** Remembers what is in these files, and in all that they mention: the function says whether that is still so. */
export function sealFiles(files: readonly string[]): () => boolean {
  const before = digestOf(files);
  return () => digestOf(files) === before;
}

/** The error for code that is no longer what was loaded, and so perhaps not what the person agreed to. */
export function changedError(label: string): PegboardError {
  return new PegboardError(
    "unavailable",
    `${label} has changed since it was loaded, and was not run. Call again once it is loaded anew; if the workspace is no longer trusted, look at it and run: pegboard trust`,
    { retryable: true },
  );
}

function digestOf(files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of withMentionedFiles(files))
    hash.update(JSON.stringify([file, createHash("sha256").update(readFileSync(file)).digest("hex")]));
  return hash.digest("hex");
}
