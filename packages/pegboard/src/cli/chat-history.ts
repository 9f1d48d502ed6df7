import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Redactor } from "../core/redact.ts";
import { databaseFile } from "../node/places.ts";

/** What was typed in chats, the newest first. */
export interface ChatHistory {
  readonly lines: readonly string[];
  /** How many lines are kept. */
  readonly most: number;
  keep(lines: readonly string[]): void;
}

const MOST = 500;

/** The history of a workspace's chats: a file beside its log that only this person can read, without secrets. */
export function openChatHistory(folder: string, home: string, redactor: Redactor): ChatHistory {
  const file = join(dirname(databaseFile(folder, home)), "chat-history");
  let lines = readLines(file);
  return {
    get lines() {
      return lines;
    },
    most: MOST,
    keep(all) {
      lines = all.slice(0, MOST);
      writeLines(file, lines.map(redactor.text));
    },
  };
}

function readLines(file: string): readonly string[] {
  try {
    const lines = readFileSync(file, "utf8").split("\n");
    return lines.filter((line) => line !== "").reverse();
  } catch {
    return [];
  }
}

// Without a history a chat is as good: what cannot be written is not.
function writeLines(file: string, lines: readonly string[]): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${lines.toReversed().join("\n")}\n`, { mode: 0o600 });
  } catch {
    // Nothing to be done about it here.
  }
}
