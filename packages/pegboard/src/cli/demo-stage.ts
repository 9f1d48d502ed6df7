import type { Terminal } from "./terminal.ts";

/** One step of the demo, and whether it ended as the story tells. */
export interface DemoStep {
  readonly step: string;
  readonly ok: boolean;
}

/** Where the story is told. */
export interface Stage {
  readonly folder: string;
  say(line?: string): void;
  readonly style: Terminal["style"];
}
