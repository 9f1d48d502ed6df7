import type { Json, JsonSchema } from "@pegboard/contract";
import { readStoredSettings } from "../node/plugins/stored-settings.ts";
import { readWorkspace } from "../node/read-workspace.ts";
import type { FoundListed } from "./plugin-listing.ts";
import type { Opened } from "./workspace.ts";

/** A setting of a plugin: what it may be, what it is, and who says so. */
export interface SettingView {
  readonly key: string;
  readonly type?: string;
  readonly description?: string;
  readonly required: boolean;
  readonly secret: boolean;
  /** Of a secret never the value. */
  readonly value?: Json;
  /** A file with a line, `stored`, or `default`. */
  readonly from?: string;
  /** It is required and nobody has said what it is. */
  readonly missing?: true;
}

/** The schema of a plugin's settings, as far as it is known. */
export function settingsSchemaOf({ found, view }: FoundListed): JsonSchema {
  return view?.settingsSchema ?? found.loaded?.plugin.settingsSchema ?? {};
}

/** The settings of a plugin, in the order of its schema. */
export async function settingViews(one: FoundListed, { workspace, settings }: Opened): Promise<readonly SettingView[]> {
  const home = settings.home.value;
  const { config } = await readWorkspace(workspace.folder, { home });
  const { name } = one.listed;
  const stored = readStoredSettings(home, one.found);
  const all = config?.plugins.settings ?? {};
  const written = (Object.hasOwn(all, name) ? all[name] : {}) as Readonly<Record<string, Json>>;
  const schema = settingsSchemaOf(one);
  const required = (schema["required"] ?? []) as readonly string[];
  const properties = Object(schema["properties"]) as Readonly<Record<string, Property>>;
  return Object.entries(properties).map(
    ([key, { type, description, writeOnly: secret = false, default: fallback }]) => {
      const [value, from] = Object.hasOwn(written, key)
        ? [written[key], `${config!.file}:${config!.lineOf(`/plugins/settings/${name}/${key}`)}`]
        : Object.hasOwn(stored, key)
          ? [stored[key], "stored"]
          : fallback === undefined
            ? []
            : [fallback, "default"];
      const isRequired = required.includes(key);
      return {
        key,
        ...(typeof type === "string" && { type }),
        ...(description !== undefined && { description }),
        required: isRequired,
        secret,
        ...(value !== undefined && { value: secret ? "***" : value }),
        ...(from !== undefined && { from }),
        ...(isRequired && value === undefined && { missing: true as const }),
      };
    },
  );
}

interface Property {
  readonly type?: unknown;
  readonly description?: string;
  readonly writeOnly?: boolean;
  readonly default?: Json;
}
