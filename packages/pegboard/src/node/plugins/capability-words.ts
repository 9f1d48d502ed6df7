import type { Capability } from "@pegboard/contract";

/** The words that manifests use for what a tool touches, and what they are here. */
export const CAPABILITY_WORDS: ReadonlyMap<string, Capability> = new Map<string, Capability>([
  ["read", "read"],
  ["fs_read", "read"],
  ["state", "state"],
  ["write", "write"],
  ["fs_write", "write"],
  ["process", "process"],
  ["shell", "process"],
  ["network", "network"],
  ["remote", "network"],
  ["agent", "agent"],
  ["secrets", "secrets"],
]);
