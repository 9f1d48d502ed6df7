import { ann, envelope, type Stage } from "./stage.ts";

/** Asks on a line of its own, in the new era, also for what no client of the SDK asks for. Resolves to the whole answer. */
export function openAskLine({ door }: Stage, capabilities: object = {}) {
  const waiting = new Map<number, (message: any) => void>();
  const connection = door.connect(ann, {
    async send(text) {
      const message = JSON.parse(text) as { id: number };
      waiting.get(message.id)?.(message);
    },
    close() {},
  });
  let last = 0;
  return (method: string, params: object = {}): Promise<any> =>
    new Promise((resolve) => {
      const id = ++last;
      waiting.set(id, resolve);
      connection.receive(
        JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, ...envelope(capabilities) } }),
      );
    });
}
