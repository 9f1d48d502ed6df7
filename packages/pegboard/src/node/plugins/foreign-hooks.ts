import type { FileReport } from "../../core/file-report.ts";
import { messageOf } from "../../core/error.ts";
import { isObject, parseLooseJson } from "../../plugins/json-file.ts";
import type { PluginFolder } from "./plugin-folder.ts";
import { brokenReport, type Sort, toReport } from "./report.ts";

/** Reports a file of hooks of another program: every event in it is told, and none is run. Undefined when there is none. */
export async function reportHooks(folder: PluginFolder, path: string, format: string): Promise<FileReport | undefined> {
  const file = folder.absolute(path);
  const sort: Sort = { kind: "hooks", format };
  try {
    const text = await folder.read(path);
    if (text === undefined) return undefined;
    // Some write a list.
    const { value, diagnostics } = parseLooseJson(text.trim().startsWith("[") ? `{"hooks":${text}}` : text, file);
    return value ? toHooksReport(value, file, sort) : toReport(file, sort, { loaded: false, fields: [], diagnostics });
  } catch (error) {
    return brokenReport(file, sort, messageOf(error));
  }
}

/** The same for hooks that stand in a manifest, or were read already. */
export function toHooksReport(value: unknown, file: string, sort: Sort): FileReport {
  const inner = isObject(value) && value["hooks"] !== undefined ? value["hooks"] : value;
  const events = Array.isArray(inner)
    ? inner.map((one) => {
        const { event } = Object(one) as Readonly<Record<string, unknown>>;
        return typeof event === "string" ? event : "unnamed";
      })
    : Object.keys(Object(inner) as object).filter((key) => key !== "description" && key !== "version");
  const fields = [...new Set(events)].map(
    (event) => ({ field: `hooks.${event}`, became: "ignored", note: NOTE }) as const,
  );
  const message = `hooks of other programs are not run yet: ${[...new Set(events)].slice(0, 20).join(", ") || "none"}`;
  const diagnostic = { severity: "warning", code: "hooks_not_run", message, file } as const;
  return toReport(file, sort, { loaded: false, fields, diagnostics: [diagnostic] });
}

const NOTE = "not run yet";
