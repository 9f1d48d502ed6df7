/** What a client of MCP must announce before it can be handed a task. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** Under which a result of MCP keeps what is structured in it where models read the text: written and read by us. */
export const STRUCTURED_META = "pegboard/structured";
