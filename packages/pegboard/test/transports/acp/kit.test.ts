import { describe, test } from "vitest";
import { describeTransport } from "../../../src/testing/index.ts";
import { createDesk } from "../../../src/transports/desk.ts";
import { choose, connectClient } from "./stage.ts";

describeTransport(
  "ACP",
  {
    async connect(runtime, approve) {
      const desk = createDesk(runtime);
      const client = await connectClient(
        { desk },
        {
          permit: async ({ toolCall }) => choose((await approve(toolCall.name ?? "")) === "allow" ? "once" : "deny"),
        },
      );
      const sessionId = await client.open();
      // One prompt after the other, as an editor sends them.
      let before: Promise<unknown> = Promise.resolve();
      async function prompt(text: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<string> {
        signal?.addEventListener("abort", () => void client.agent.notify("session/cancel", { sessionId }));
        const from = client.said().length;
        await client.prompt(sessionId, text);
        return client.said().slice(from);
      }
      return {
        prompt(text, options) {
          const next = before.then(() => prompt(text, options));
          before = next.catch(() => {});
          return next;
        },
        async sendNonsense() {
          await client.agent.request("session/prompt", { sessionId, prompt: "nonsense" }).then(
            () => Promise.reject(new Error("It was taken for a prompt")),
            () => {},
          );
        },
        async close() {
          client.close();
          await client.served.closed;
          await desk.close();
        },
      };
    },
  },
  { describe, test },
);
