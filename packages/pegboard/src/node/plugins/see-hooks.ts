import type { Json, Plugin } from "@pegboard/contract";
import { PegboardError } from "../../core/error.ts";
import { compileSchema } from "../../core/schema.ts";
import { callRegister } from "../../plugins/call-register.ts";
import { createPluginHost } from "../../plugins/plugin-host.ts";
import { toHookKinds } from "./hook-kinds.ts";

const REGISTER_MS = 10_000;

/**
 * Registers a plugin only to see its hooks, by their points with their kinds, and lets go of it. It can neither call nor run
 * anything meanwhile, and of secrets it sees the names. Rejects when it does not register, mostly for want of settings.
 */
export async function seeHooks(plugin: Plugin, settings: Json): Promise<Readonly<Record<string, string>>> {
  const { name, settingsSchema } = plugin;
  const checked = settingsSchema
    ? await compileSchema(settingsSchema, { foreign: true }).check(settings)
    : ({ ok: true, value: settings } as const);
  if (!checked.ok) throw new PegboardError("invalid_config", `Plugin "${name}" needs settings`);
  const nothing = () => Promise.reject(new PegboardError("unavailable", "The plugin is only looked at"));
  const { host, end } = createPluginHost(name, checked.value as Json, {
    call: nothing,
    run: nothing,
    broadcast() {},
    report() {},
  });
  try {
    return toHookKinds(await callRegister(plugin, host, REGISTER_MS, { note() {} }));
  } finally {
    end();
  }
}
