import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { relative, sep } from "node:path";
import { canonicalJson } from "../../core/json.ts";
import { filesBelow } from "../files-below.ts";

/** The digest of all files and links in a folder, but those of installed packages: these are locked by their own list. */
export function contentDigest(folder: string): string {
  const hash = createHash("sha256");
  for (const file of filesBelow(folder)) {
    const path = relative(folder, file).split(sep).join("/");
    const isLink = lstatSync(file).isSymbolicLink();
    const content = isLink
      ? `link ${readlinkSync(file)}`
      : createHash("sha256").update(readFileSync(file)).digest("hex");
    hash.update(`${JSON.stringify([path, content])}\n`);
  }
  return `sha256:${hash.digest("hex")}`;
}

/** The digest of all in a definition that is data. Where its plugin lies makes no difference. */
export function definitionDigestOf(definition: unknown, folder: string): string {
  const place = JSON.stringify(folder).slice(1, -1);
  const text = canonicalJson(JSON.parse(JSON.stringify(definition) ?? "null")).replaceAll(place, "<plugin>");
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}
