import type { Approval, Capability, JsonSchema } from "@pegboard/contract";
import type { Registration, Registry, ToolSource } from "./registry.ts";

/** A tool as lists show it. `approval` is what a call can expect, whatever its input. */
export interface ToolView {
  readonly name: string;
  readonly description: string;
  readonly source: ToolSource;
  readonly layer: string;
  readonly scope: "global" | "session";
  readonly approval: Approval;
  readonly capabilities: readonly Capability[];
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly version?: string;
  readonly category?: string;
  /** The sources that this registration hides. */
  readonly shadows?: readonly ToolSource[];
}

const views = new WeakMap<Registration, ToolView>();

/** The view of a registration. Made once for as long as nothing about it changes: sessions share it. */
export function toToolView(registration: Registration, approval: Approval, registry: Registry): ToolView {
  const { name, tool, source, layer, input, output } = registration;
  const hidden = registry.stack(name).filter((other) => other !== registration);
  const known = views.get(registration);
  if (known?.approval === approval && (known.shadows?.length ?? 0) === hidden.length) return known;
  const view: ToolView = Object.freeze({
    name,
    description: tool.description,
    source,
    layer,
    scope: layer === "session" || "open" in tool ? "session" : "global",
    approval,
    capabilities: tool.capabilities ?? [],
    inputSchema: input.json,
    ...(output && { outputSchema: output.json }),
    ...(tool.version !== undefined && { version: tool.version }),
    ...(tool.category !== undefined && { category: tool.category }),
    ...(hidden.length > 0 && { shadows: hidden.map((other) => other.source) }),
  });
  views.set(registration, view);
  return view;
}
