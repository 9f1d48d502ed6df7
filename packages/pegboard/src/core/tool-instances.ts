import type { SessionView, ToolInstance } from "@pegboard/contract";
import { messageOf, PegboardError } from "./error.ts";
import type { Registration } from "./registry.ts";
import { type Prepared, PREPARE } from "./sandbox.ts";

/** The tools that were opened for one session, each of them once. */
export class ToolInstances {
  readonly #session: SessionView;
  #opened: Map<Registration, Promise<ToolInstance>> | undefined;

  constructor(session: SessionView) {
    this.#session = session;
  }

  /** What a call of the tool runs. Rejects with `unavailable` when it cannot be opened; the next call tries again. */
  get(registration: Registration): ToolInstance | Promise<ToolInstance> {
    const { tool } = registration;
    const preparing = (tool as Prepared)[PREPARE]?.();
    if (preparing) return preparing.then(() => ("open" in tool ? this.#open(registration) : tool));
    return "open" in tool ? this.#open(registration) : tool;
  }

  /** Disposes of all that was opened, one after another. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const opening of this.#opened?.values() ?? []) await dispose(opening);
  }

  #open(registration: Registration): Promise<ToolInstance> {
    const { name, tool } = registration;
    const opened = (this.#opened ??= new Map());
    let instance = opened.get(registration);
    if (!instance && "open" in tool) {
      instance = (async () => tool.open(this.#session))().catch((error: unknown) => {
        opened.delete(registration);
        throw new PegboardError(
          "unavailable",
          `Tool "${name}" could not be opened for this session: ${messageOf(error)}`,
          { cause: error },
        );
      });
      opened.set(registration, instance);
    }
    return instance!;
  }
}

async function dispose(opening: Promise<ToolInstance>): Promise<void> {
  try {
    const instance = await opening;
    await (instance[Symbol.asyncDispose]?.() ?? instance[Symbol.dispose]?.());
  } catch {
    // One tool that cannot clean up must not keep the others from it.
  }
}
