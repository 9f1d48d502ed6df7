import type { TransportClient } from "../../../src/testing/index.ts";
import type { TestClient } from "./stage.ts";

/** A client of ACP in a session, as the kit wants one. */
export function toKitClient(client: Omit<TestClient, "served">, sessionId: string): Omit<TransportClient, "close"> {
  // One prompt after the other, as an editor sends them.
  let before: Promise<unknown> = Promise.resolve();
  async function prompt(text: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<string> {
    signal?.addEventListener("abort", () => void client.agent.notify("session/cancel", { sessionId }).catch(() => {}));
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
  };
}
