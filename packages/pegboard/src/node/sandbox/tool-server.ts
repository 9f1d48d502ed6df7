import type { CallClient, Json, Plugin, Result, ToolInstance } from "@pegboard/contract";
import { PegboardError, toFailure } from "../../core/error.ts";
import { createProgress } from "../../core/progress.ts";
import type { AnyTool } from "../../core/registry.ts";
import { textOf, toFailedResult, toResult } from "../../core/result.ts";
import { detach } from "../../core/utf8.ts";
import type { Recipe } from "../load-recipe.ts";
import { createClient } from "./client-line.ts";
import { MAX_FRAME } from "./frames.ts";
import { type LoadedTools, loadTools } from "./loaded-tools.ts";
import { createOutside } from "./outside.ts";
import { ownCheck } from "./own-check.ts";
import type { ClientView, PluginTarget } from "./plugin-protocol.ts";
import type { CallSide, PluginSide } from "./plugin-side.ts";
import type { Request, ToInside, ToolRef, ToOutside } from "./protocol.ts";

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
  const outside = createOutside(send, () => update());
  const callIds = new WeakMap<object, number>();
  const loading = new Set<(reason: Error) => void>();
  let side: PluginSide | undefined;

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
        return inCall(id, request.client, (lent) => execute(request, lent));
      case "plugin": {
        const { plugin } = await load(request.recipe);
        side ??= await createSide(plugin!);
        const { call } = side;
        // Steps and hooks are no calls: they may wait for as long as they like.
        if (CALLED.includes(request.target.kind)) return inCall(id, request.client, (lent) => call(request, lent));
        return call(request, NO_CALL);
      }
    }
  }

  async function execute(request: Request & { type: "execute" }, lent: CallSide): Promise<Result> {
    try {
      const tool = await find(request.tool);
      const instance = request.instance === undefined ? (tool as ToolInstance<any>) : instances.get(request.instance)!;
      const value = await instance.execute(
        await ownCheck(tool, "input", request.input),
        Object.freeze({ ...request.context, ...lent }),
      );
      const result = toResult(value);
      if (result.ok && tool.output) await ownCheck(tool, "output", result.structured ?? null);
      return boundText(result, MAX_TEXT);
    } catch (error) {
      return boundText(toFailedResult(error), MAX_TEXT);
    }
  }

  async function inCall<T>(
    id: number,
    client: ClientView | undefined,
    work: (lent: CallSide) => Promise<T>,
  ): Promise<T> {
    const control = new AbortController();
    const progress = createProgress((report) => send({ type: "progress", id, ...report }));
    const lent: CallSide = {
      signal: control.signal,
      progress: progress.report,
      call: (tool, input) => outside.call(tool, input, id),
      ...(client && { client: clientOf(client, id) }),
    };
    callIds.set(lent, id);
    running.set(id, control);
    update();
    try {
      return await work(lent);
    } finally {
      running.delete(id);
      update();
      progress.flush();
    }
  }

  function clientOf(view: ClientView, id: number): CallClient {
    return createClient(
      view,
      (key, method, params) => outside.askClient(key, method, params, id),
      (said) => void send({ ...said, of: id }),
    );
  }

  async function createSide(plugin: Plugin): Promise<PluginSide> {
    const { createPluginSide } = await pluginSides();
    return createPluginSide(plugin, {
      call: (tool, input) => outside.call(tool, input),
      run: (prompt, options, _, context) => outside.run(prompt, options, context && callIds.get(context)),
      report: (status, reason) => void send({ type: "report", status, ...(reason !== undefined && { reason }) }),
      broadcast: (topic, data) => void send({ type: "broadcast", topic, data }),
      watched: (watch) => void send({ type: "watched", watch }),
    });
  }

  // While a tool runs or code loads that waits for nobody outside, only its own work keeps this going: when that ends, it
  // is stuck.
  function update(): void {
    hold((running.size === 0 && loading.size === 0) || outside.isAsked);
  }

  function load(recipe: Recipe): Promise<LoadedTools> {
    const key = JSON.stringify(recipe);
    let source = sources.get(key);
    if (!source) {
      const stuck = Promise.withResolvers<never>();
      loading.add(stuck.reject);
      update();
      source = Promise.race([loadTools(recipe), stuck.promise]).finally(() => {
        loading.delete(stuck.reject);
        update();
      });
      sources.set(key, source);
    }
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
    for (const reject of loading) reject(neverLoads());
    send({ type: "waiting" });
  });
  return (message) => {
    update();
    if (message.type === "abort") {
      send({ type: "alive", id: message.id });
      running.get(message.id)?.abort(new PegboardError("cancelled", "The call was ended"));
    } else if (message.type === "called" || message.type === "ran" || message.type === "client-answer") {
      outside.answer(message);
    } else if (message.type === "settings") {
      side?.configure(message.settings);
    } else if (message.type === "stopping") {
      side?.end();
    } else if (message.type === "watch" || message.type === "unwatch") {
      side?.watch(message);
    } else {
      void answer(message);
    }
  };
}

/** What a client or a model waits for. */
const CALLED: readonly PluginTarget["kind"][] = ["handler", "prompt", "resource"];

// What most processes do not hold is not loaded in them.
const pluginSides = () => import("./plugin-side.ts");

/** What steps and hooks have of a call: nothing. */
const NO_CALL: CallSide = {
  signal: new AbortController().signal,
  progress() {},
  call: () => Promise.resolve(toFailedResult(new PegboardError("cancelled", "There is no call around this one"))),
};

function neverLoads(): PegboardError {
  return new PegboardError(
    "unavailable",
    "The module never ends loading: an await at its top level waits for something that cannot come",
  );
}

async function askApproval({ approval }: AnyTool, input: Json): Promise<unknown> {
  return typeof approval === "function" ? approval(input) : approval;
}

function boundText(result: Result, most: number): Result {
  const text = textOf(result);
  if (text.length <= most) return result;
  const { structured: _, ...rest } = result;
  const others = result.content.filter((block) => block.type !== "text");
  const content = [{ type: "text" as const, text: detach(text.slice(0, most)) }, ...others];
  return { ...rest, content, meta: { ...result.meta, cut: { kept: most, characters: text.length } } };
}
