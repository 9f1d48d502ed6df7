import { AMPLIFIER } from "./amplifier.ts";
import { CLAUDE } from "./claude.ts";
import { CODEX } from "./codex.ts";
import { COPILOT } from "./copilot.ts";
import type { AgentFormat, Dialect } from "./draft.ts";
import { GEMINI } from "./gemini.ts";
import { GOOSE } from "./goose.ts";
import { OPENCODE } from "./opencode.ts";

/** How the files of each program are read. */
export const DIALECTS: Readonly<Record<Exclude<AgentFormat, "pegboard">, Dialect>> = {
  claude: CLAUDE,
  opencode: OPENCODE,
  gemini: GEMINI,
  codex: CODEX,
  goose: GOOSE,
  copilot: COPILOT,
  amplifier: AMPLIFIER,
};
