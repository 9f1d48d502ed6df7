// A plugin that is a module. It runs in a process of its own and reaches everything else through its host.
import { definePlugin } from "@pegboard/contract";

export const plugin = definePlugin({
  name: "desk",
  version: "1.0.0",
  settingsSchema: {
    type: "object",
    properties: {
      most: { type: "integer", minimum: 1, default: 5, description: "Copies that one call may set aside" },
    },
    additionalProperties: false,
  },
  tools: [
    {
      name: "cheapest",
      description: "The cheapest book with a word in its title",
      schema: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
      async handler(host, { word }: { word: string }) {
        // A call like any other: the same policy, limits and log, below the call at hand.
        const { ok, structured, error } = await host.call("stock__find", { word });
        if (!ok) throw new Error(error?.message);
        const { books } = structured as { books: { title: string; price: number }[] };
        const [first] = books.sort((a, b) => a.price - b.price);
        return first ? `${first.title}, ${first.price}` : "None";
      },
    },
  ],
  register(host) {
    let aside = 0;
    return {
      // A gate: it can refuse a call, ask about it, or change its input, and never wave one through.
      beforeCall({ tool, input }) {
        if (tool !== "stock__reserve") return undefined;
        const { most } = host.settings as { most: number };
        const isTooMany = (input as { copies: number }).copies > most;
        return isTooMany ? { action: "deny", reason: `At most ${most} copies at a time` } : undefined;
      },
      // It sees every result, and could put another in its place.
      afterCall({ tool, input }, { ok }) {
        if (tool === "stock__reserve" && ok) aside += (input as { copies: number }).copies;
      },
      // The last word on an answer.
      changeAnswer: (_run, { text }) => `${text} (${aside} set aside today)`,
    };
  },
});
