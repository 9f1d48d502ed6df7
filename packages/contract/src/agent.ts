/** An agent: who it is, what it is told, and which tools it may use. Written as a markdown file with front matter. */
export interface Agent {
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  /** `provider:model` or an alias; absent is the session's model. */
  readonly model?: string;
  /** Names, globs and `!deny` entries. Absent is the default scope, empty is no tools at all. */
  readonly tools?: readonly string[];
}
