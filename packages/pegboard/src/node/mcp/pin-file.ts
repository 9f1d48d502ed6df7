import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { PegboardError } from "../../core/error.ts";
import type { Pinned, PinStore } from "../../sources/mcp/pins.ts";

/** The pins of one workspace, in a file of the person's own that holds those of all. Every use reads it anew. */
export function pinFile(file: string, workspace: string): PinStore {
  return {
    get: async (name) => read(file)[workspace]?.[name],
    async set(name, pinned) {
      const all = read(file);
      const next = { ...all, [workspace]: { ...all[workspace], [name]: pinned } };
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      const draft = `${file}.${process.pid}.tmp`;
      writeFileSync(draft, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600 });
      renameSync(draft, file);
    },
  };
}

/** Pins that are read there and changed only here. */
export function unsavedPins(pins: PinStore): PinStore {
  const own = new Map<string, Pinned>();
  return {
    get: async (name) => own.get(name) ?? pins.get(name),
    set: async (name, pinned) => void own.set(name, pinned),
  };
}

type Pins = Readonly<Record<string, Readonly<Record<string, Pinned>>>>;

function read(file: string): Pins {
  if (!existsSync(file)) return {};
  try {
    return Object(JSON.parse(readFileSync(file, "utf8"))) as Pins;
  } catch {
    throw new PegboardError(
      "invalid_config",
      `${file} is not JSON: mend it, or delete it, and all MCP servers are taken as they are then`,
    );
  }
}
