import { defineTool, fail, type Tool, type ToolContext } from "@pegboard/contract";

/** What the tools that speak to the agent above are lent. */
export interface ParentToolDeps {
  /** Leaves a message at the run above; `wakes` brings it back to work. Rejects where there is none. */
  tellParent(message: string, context: ToolContext, options: { readonly wakes: boolean }): Promise<void>;
}

/** The tools `signal_parent` and `checkin`: how an agent speaks to the one that started it. */
export function parentTools({ tellParent }: ParentToolDeps): Tool[] {
  const toParent = (name: string, description: string, wakes: boolean, said: string) =>
    defineTool({
      name,
      description,
      input: {
        type: "object",
        properties: { message: { type: "string", description: "What it should know" } },
        required: ["message"],
        additionalProperties: false,
      },
      capabilities: ["state"],
      async execute({ message }, context) {
        if (message.trim() === "")
          return fail("invalid_input", "The message is empty: say what the agent above should know");
        await tellParent(message, context, { wakes });
        return said;
      },
    }) as Tool;
  return [
    toParent(
      "signal_parent",
      "Send a message to the agent that started you. It is brought back to work to read it",
      true,
      "The agent that started you will read it next.",
    ),
    toParent(
      "checkin",
      "Tell the agent that started you how far you are. It reads it when it works next",
      false,
      "Noted.",
    ),
  ];
}
