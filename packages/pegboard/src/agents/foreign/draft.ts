import type { FieldReport } from "../../core/file-report.ts";
import type { Consequence, Field, Finding } from "../field.ts";
import type { ToolNames } from "./tool-names.ts";

/** The programs whose files of agents can be read. */
export type AgentFormat = "pegboard" | "claude" | "opencode" | "gemini" | "codex" | "goose" | "copilot" | "amplifier";

/** How the files of one program are read: what is done with each field, and what it calls tools. */
export interface Dialect {
  readonly fields: Readonly<Record<string, Move>>;
  readonly tools?: ToolNames;
  /** Agents are called as their files are: a name that is missing is not missed. */
  readonly namedByFile?: boolean;
  /** Names of tools that come from an MCP server, as we call them; undefined for all others. */
  serverTool?(name: string): string | undefined;
}

/** Moves one field of another program to where we have it, or says why not. */
export type Move = (field: Field, draft: Draft) => void;

/** What is known besides the fields. */
export interface DraftOptions {
  /** The name of the file without its ending. */
  readonly name?: string | undefined;
  /** The names that the workspace gives to models. */
  readonly models?: readonly string[] | undefined;
  /** Whether servers that the file brings count; a plugin's agents bring none. */
  readonly servers?: boolean | undefined;
  /** The texts of files that it names, by the words that name them. */
  readonly files?: ReadonlyMap<string, string> | undefined;
  /** The line that the fields start at. */
  readonly line: number;
}

/** An agent of another program on its way to be one of ours. Rights only ever get fewer. */
export interface Draft {
  readonly dialect: Dialect;
  readonly options: DraftOptions;
  /** Puts a value where we have it. */
  put(key: string, value: unknown, from: Field): void;
  has(key: string): boolean;
  /** Says what became of a field of the file. */
  became(field: string, became: FieldReport["became"], note?: string): void;
  /** Tells something about a field, and what it means for the agent. */
  add(consequence: Consequence, from: Field, finding: Omit<Finding, "place">): void;
  /** These tools and no others; a second list leaves what is in both. */
  allow(tools: readonly string[], from: Field): void;
  deny(tools: readonly string[], from: Field): void;
  /** Adds a paragraph to what the agent is told. */
  instruct(text: string): void;
}

/** A file of another program, in our words. */
export interface Translation {
  readonly fields: readonly Field[];
  /** What a field, and not the text of the file, tells the agent. */
  readonly instructions: string;
  /** What became of the fields of the file. */
  readonly reports: readonly FieldReport[];
}
