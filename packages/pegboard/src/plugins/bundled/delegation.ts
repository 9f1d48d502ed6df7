import { definePlugin, type Json, type PluginHost, type PluginTool } from "@pegboard/contract";

/**
 * The plugin `delegation`: gives work away and says how far it is, as `delegation__delegate` and `delegation__checkin`. It
 * passes both on to the tools `delegate` and `checkin`, which an agent must have too.
 */
export const delegation = definePlugin({
  name: "delegation",
  version: "1.0.0",
  description: "Agents give work away and hear of it",
  tools: [
    passOn("delegate", "Task delegated. You will be told when it is done.", {
      description:
        "Have a sub-agent work on a task by itself, while this conversation goes on. Its result comes back to you as a message",
      schema: {
        type: "object",
        properties: {
          prompt: { type: "string", description: "The whole task: the sub-agent knows nothing else" },
          model: { type: "string", description: "The model that it works with; the usual one when absent" },
          maxIterations: {
            type: "integer",
            minimum: 1,
            description: "How often it may try until its result is accepted; 5 when absent",
          },
        },
        required: ["prompt"],
        additionalProperties: false,
      },
    }),
    passOn("checkin", "Check-in sent.", {
      description: "Tell whoever gave you this task how far you are. It is read when they work next",
      schema: {
        type: "object",
        properties: { message: { type: "string", description: "How far you are" } },
        required: ["message"],
        additionalProperties: false,
      },
    }),
  ],
});

function passOn(name: string, reply: string, definition: Pick<PluginTool, "description" | "schema">): PluginTool {
  return {
    ...definition,
    name,
    audience: "agent",
    async handler(host: PluginHost, input: Json) {
      const { ok, error } = await host.call(name, input);
      if (ok) return reply;
      const { code, message = `"${name}" failed`, retryable } = error ?? {};
      throw Object.assign(new Error(message), { code, retryable });
    },
  };
}
