import type { SessionView, Tool, ToolInstance } from "@pegboard/contract";
import type { AnyTool } from "../../core/registry.ts";

/** Tools that are opened for one run, as plain tools. Disposing closes what was opened and never rejects. */
export interface OpenedTools extends AsyncDisposable {
  readonly tools: readonly Tool[];
  /** Opens what must be there from the beginning of the run. Rejects when it cannot be opened. */
  begin(isMade: boolean): Promise<void>;
}

/** Makes tools that open themselves when they are called first, once. */
export function openForRun(tools: readonly AnyTool[], view: SessionView): OpenedTools {
  const instances = new Map<AnyTool, Promise<ToolInstance<any>>>();

  function open(tool: AnyTool): Promise<ToolInstance<any>> {
    let instance = instances.get(tool);
    if (!instance) {
      instance = (async () => ("open" in tool ? tool.open(view) : tool))();
      instances.set(tool, instance);
      instance.catch(() => instances.delete(tool));
    }
    return instance;
  }

  return {
    tools: tools.map((tool): Tool => {
      if (!("open" in tool)) return tool;
      const { open: _, ...definition } = tool;
      return { ...definition, execute: async (input, context) => (await open(tool)).execute(input, context) };
    }),
    async begin(isMade) {
      // All tools of a toolset that was made share what was made: opening one of them makes it.
      const first = tools.find((tool) => "open" in tool);
      if (isMade && first) await open(first);
    },
    async [Symbol.asyncDispose]() {
      const closing = Array.from(instances.values(), async (opening) => {
        const instance = await opening;
        await (instance[Symbol.asyncDispose]?.() ?? instance[Symbol.dispose]?.());
      });
      await Promise.allSettled(closing);
    },
  };
}
