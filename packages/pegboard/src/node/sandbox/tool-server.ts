import type { Json, Result, ToolInstance } from "@pegboard/contract";
import { PegboardError, toFailure } from "../../core/error.ts";
import { createProgress } from "../../core/progress.ts";
import type { AnyTool } from "../../core/registry.ts";
import { textOf, toFailedResult, toResult } from "../../core/result.ts";
import { compileSchema, describeProblems } from "../../core/schema.ts";
import { isStandard } from "../../core/schema-standard.ts";
import { detach } from "../../core/utf8.ts";
import { loadRecipe, type Recipe } from "../load-recipe.ts";
import { toSentDefinition } from "./sent-definition.ts";
import { MAX_FRAME } from "./frames.ts";
import type { Request, SentDefinition, SentTools, ToInside, ToolRef, ToOutside } from "./protocol.ts";

/** More text than this is cut before it is sent: nobody keeps more. */
const MAX_TEXT = 16 * 1024 * 1024;

/** The line to the outside, as the inside uses it. */
export interface OutsideLine {
  /** Whether the message could be sent; one that is too big could not. */
  send(message: ToOutside): boolean;
  /** Whether this process or thread goes on only because the line is open. */
  hold(yes: boolean): void;
}

/** Answers requests for the tools that it loads. */
export function createToolServer({ send, hold }: OutsideLine): (message: ToInside) => void {
  const sources = new Map<string, Promise<LoadedTools>>();
  const running = new Map<number, AbortController>();
  const instances = new Map<number, ToolInstance<any>>();
  const calls = new Map<number, (result: Result) => void>();
  let made = 0;

  async function handle(request: Request, id: number): Promise<unknown> {
    switch (request.type) {
      case "load":
        return (await load(request.recipe)).sent;
      case "approval":
        return askApproval(await find(request.tool), request.input);
      case "summary":
        return (await find(request.tool)).summary?.(request.input);
      case "open": {
        const tool = await find(request.tool);
        if (!("open" in tool)) throw new PegboardError("internal", `"${tool.name}" is not opened for sessions`);
        instances.set(id, await tool.open(request.session));
        return id;
      }
      case "dispose": {
        const instance = instances.get(request.instance);
        instances.delete(request.instance);
        await (instance?.[Symbol.asyncDispose]?.() ?? instance?.[Symbol.dispose]?.());
        return null;
      }
      case "execute":
        return execute(request, id);
    }
  }

  async function execute(request: Request & { type: "execute" }, id: number): Promise<Result> {
    const control = new AbortController();
    const progress = createProgress((report) => send({ type: "progress", id, ...report }));
    running.set(id, control);
    update();
    try {
      const tool = await find(request.tool);
      const instance = request.instance === undefined ? (tool as ToolInstance<any>) : instances.get(request.instance)!;
      const value = await instance.execute(
        await ownCheck(tool, "input", request.input),
        Object.freeze({
          ...request.context,
          signal: control.signal,
          progress: progress.report,
          call: (name: string, input: Json) => callOutside(id, name, input),
        }),
      );
      const result = toResult(value);
      if (result.ok && tool.output) await ownCheck(tool, "output", result.structured ?? null);
      return boundText(result, MAX_TEXT);
    } catch (error) {
      return boundText(toFailedResult(error), MAX_TEXT);
    } finally {
      running.delete(id);
      update();
      progress.flush();
    }
  }

  function callOutside(of: number, tool: string, input: Json): Promise<Result> {
    const id = ++made;
    return new Promise((resolve) => {
      calls.set(id, resolve);
      update();
      send({ type: "call", id, of, tool, input });
    });
  }

  // While a tool runs that waits for nobody outside, only its own work keeps this going: when that ends, it is stuck.
  function update(): void {
    hold(running.size === 0 || calls.size > 0);
  }

  function load(recipe: Recipe): Promise<LoadedTools> {
    const key = JSON.stringify(recipe);
    let source = sources.get(key);
    if (!source) sources.set(key, (source = loadTools(recipe)));
    return source;
  }

  async function find({ recipe, index }: ToolRef): Promise<AnyTool> {
    const tool = (await load(recipe)).tools[index];
    if (!tool) throw new PegboardError("unavailable", "The code no longer has this tool");
    return tool;
  }

  async function answer(request: Request & { readonly id: number }): Promise<void> {
    const { id } = request;
    const error = await handle(request, id).then(
      (value) =>
        send({ type: "reply", id, value })
          ? undefined
          : new PegboardError("tool_error", `The result is bigger than ${MAX_FRAME} bytes`),
      (thrown: unknown) => thrown,
    );
    if (error !== undefined) send({ type: "reply", id, error: toFailure(error) });
  }

  process.on("beforeExit", () => {
    hold(true);
    send({ type: "waiting" });
  });
  return (message) => {
    update();
    if (message.type === "abort") {
      send({ type: "alive", id: message.id });
      running.get(message.id)?.abort(new PegboardError("cancelled", "The call was ended"));
    } else if (message.type === "called") {
      calls.get(message.id)?.(message.result);
      calls.delete(message.id);
    } else {
      void answer(message);
    }
  };
}

interface LoadedTools {
  readonly tools: readonly AnyTool[];
  readonly sent: SentTools;
}

async function loadTools(recipe: Recipe): Promise<LoadedTools> {
  const loaded = await loadRecipe(recipe);
  const tools: AnyTool[] = [];
  const sent: SentDefinition[] = [];
  const problems = [...loaded.problems];
  for (const tool of loaded.tools) {
    try {
      sent.push(toSentDefinition(tool));
      tools.push(tool);
    } catch (error) {
      problems.push({ name: tool.name, message: toFailure(error).message });
    }
  }
  return { tools, sent: { tools: sent, problems, ...(loaded.exports && { exports: loaded.exports }) } };
}

async function askApproval({ approval }: AnyTool, input: Json): Promise<unknown> {
  return typeof approval === "function" ? approval(input) : approval;
}

/** JSON Schema is checked outside; what only the author's own schema library can say is checked here. */
async function ownCheck(tool: AnyTool, part: "input" | "output", value: Json): Promise<unknown> {
  const schema = tool[part];
  if (!isStandard(schema)) return value;
  const checked = await compileSchema(schema).check(structuredClone(value));
  if (checked.ok) return checked.value;
  const what =
    part === "input"
      ? `The input of "${tool.name}" is not valid`
      : `The result of "${tool.name}" does not match its output schema`;
  throw new PegboardError(
    part === "input" ? "invalid_input" : "invalid_output",
    `${what}:\n${describeProblems(checked.problems)}`,
  );
}

function boundText(result: Result, most: number): Result {
  const text = textOf(result);
  if (text.length <= most) return result;
  const { structured: _, ...rest } = result;
  const others = result.content.filter((block) => block.type !== "text");
  const content = [{ type: "text" as const, text: detach(text.slice(0, most)) }, ...others];
  return { ...rest, content, meta: { ...result.meta, cut: { kept: most, characters: text.length } } };
}
