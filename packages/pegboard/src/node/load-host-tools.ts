import type { Diagnostic } from "../core/diagnostic.ts";
import { messageOf, PegboardError } from "../core/error.ts";
import type { AnyTool, Registry } from "../core/registry.ts";
import { fromHostTool, type HostToolDefinition, isHostTool } from "../sources/host-tool.ts";
import { fromModule, isOwnTool } from "../sources/module.ts";
import type { HostModuleEntry, Placed } from "./config-file.ts";
import { importFile } from "./load-module.ts";
import { fromFile } from "./places.ts";

/** The tool that one entry of `tools` describes. Rejects with what is wrong with it. */
export async function loadHostTool({ entry, file }: Placed<HostModuleEntry>): Promise<AnyTool> {
  const { module, function: name, trusted: _, env: __, ...definition } = entry;
  const exports = await importFile(fromFile(file, module));
  const handler = exports[name];
  if (typeof handler === "function")
    return fromHostTool({ ...definition, handler: handler as HostToolDefinition["handler"] });
  const functions = Object.keys(exports).filter((key) => typeof exports[key] === "function");
  throw new PegboardError(
    "invalid_definition",
    `${module} has no function named "${name}"; available: ${functions.join(", ") || "none"}`,
  );
}

/** What a module's setup function is handed: it registers tools of any form. */
export interface HostRegistry {
  register(tool: unknown): Promise<Disposable>;
  unregister(name: string): boolean;
}

/**
 * Loads a module of host tools: `setupHostTools(registry)` (or `setup_host_tools`) when it exports one, and every exported
 * definition. Registers through `register`; a definition that is refused is reported and leaves the others. Rejects when
 * the module cannot be imported or its setup fails.
 */
export async function loadHostModule(
  file: string,
  registry: Registry,
  register: (tool: AnyTool) => Disposable,
): Promise<readonly Diagnostic[]> {
  const exports = await importFile(file);
  const setup = exports["setupHostTools"] ?? exports["setup_host_tools"];
  if (typeof setup === "function") {
    const host: HostRegistry = {
      register: async (tool) => register(toTool(tool)),
      unregister: (name) => registry.unregister(name),
    };
    try {
      await (setup as (host: HostRegistry) => unknown)(host);
    } catch (error) {
      throw new PegboardError("invalid_definition", `${file}: its setup function failed: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }
  const { tools, problems } = await fromModule(exports);
  const refused = tools.flatMap((tool): Diagnostic[] => {
    try {
      register(tool);
      return [];
    } catch (error) {
      return [{ severity: "error", code: "tool_refused", message: messageOf(error), file }];
    }
  });
  return [
    ...problems.map(({ name, message }): Diagnostic => ({
      severity: "error",
      code: "tool_refused",
      message: `${name}: ${message}`,
      file,
    })),
    ...refused,
  ];
}

function toTool(value: unknown): AnyTool {
  if (isOwnTool(value)) return value;
  if (isHostTool(value)) return fromHostTool(value);
  throw new PegboardError(
    "invalid_definition",
    "A tool needs a name, a description, an input schema and a function to execute",
  );
}
