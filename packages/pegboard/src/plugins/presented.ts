import type { Json, Plugin, Prompt, PromptMessage, Resource, ResourceContent } from "@pegboard/contract";
import { PegboardError } from "../core/error.ts";
import { exceeds } from "../core/json.ts";
import type { Limits } from "../core/limits.ts";
import { toContent } from "../core/result.ts";

/**
 * The prompts and resources of a plugin as clients may use them: each answer comes within the time and the size that a tool
 * has, and has the form that the contract says. Else they reject, with `timeout`, `cancelled` or `tool_error`.
 */
export function toPresented({ prompts, resources }: Plugin, limits: Limits): Pick<Plugin, "prompts" | "resources"> {
  return {
    ...(prompts && { prompts: prompts.map((prompt) => toBoundPrompt(prompt, limits)) }),
    ...(resources && { resources: resources.map((resource) => toBoundResource(resource, limits)) }),
  };
}

function toBoundPrompt(prompt: Prompt, limits: Limits): Prompt {
  const { name, description, arguments: given } = prompt;
  const what = `Prompt "${name}"`;
  return {
    name,
    description,
    ...(given && { arguments: given }),
    get: async (values, { signal, ...rest }) =>
      toMessages(
        await within(what, limits, signal, (own) => prompt.get(values, { ...rest, signal: own })),
        what,
        limits,
      ),
    ...(prompt.complete && {
      complete: async (argument: string, value: string) =>
        toTexts(await within(what, limits, NEVER, () => prompt.complete?.(argument, value)), what),
    }),
  };
}

function toBoundResource(resource: Resource, limits: Limits): Resource {
  const { name, uri: address, description, mimeType } = resource;
  const what = `Resource "${name}"`;
  return {
    name,
    uri: address,
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mimeType }),
    read: async (uri, values, signal) =>
      toContents(await within(what, limits, signal, (own) => resource.read(uri, values, own)), what, limits),
    ...(resource.watch && { watch: resource.watch.bind(resource) }),
  };
}

const NEVER = new AbortController().signal;

/** Waits for a work as long as its time lasts and somebody wants it; then its signal fires. */
async function within<T>(
  what: string,
  { timeoutMs }: Limits,
  wanted: AbortSignal,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const control = new AbortController();
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = (why: PegboardError) => {
    control.abort(why);
    reject(why);
  };
  const cancel = () => stop(new PegboardError("cancelled", `${what} is no longer wanted`));
  const late = new PegboardError("timeout", `${what} did not come within ${timeoutMs / 1000} seconds`, {
    retryable: true,
  });
  const timer = setTimeout(stop, timeoutMs, late);
  stopped.catch(() => {});
  if (wanted.aborted) cancel();
  wanted.addEventListener("abort", cancel, { once: true });
  try {
    control.signal.throwIfAborted();
    return await Promise.race([work(control.signal), stopped]);
  } finally {
    clearTimeout(timer);
    wanted.removeEventListener("abort", cancel);
  }
}

function toMessages(made: unknown, what: string, limits: Limits): string | readonly PromptMessage[] {
  if (exceeds(made as Json, limits.keptCharacters)) throw tooBig(what, limits);
  if (typeof made === "string") return made;
  const messages = Array.isArray(made) ? (made as readonly unknown[]).map((one) => Object(one) as PromptMessage) : [];
  if (!Array.isArray(made) || messages.some(({ role }) => role !== "user" && role !== "assistant"))
    throw wrong(what, "a text, or messages of the user and the assistant");
  return messages.map(({ role, content }, index) => ({ role, content: toContent(content, index) }));
}

function toContents(read: unknown, what: string, limits: Limits): string | readonly ResourceContent[] {
  if (exceeds(read as Json, limits.keptCharacters)) throw tooBig(what, limits);
  if (typeof read === "string") return read;
  const all = Array.isArray(read) ? (read as readonly unknown[]) : [read];
  return all.map((one) => {
    const { uri, mimeType, text, blob } = Object(one) as Readonly<Record<string, unknown>>;
    const said = {
      ...(typeof uri === "string" && { uri }),
      ...(typeof mimeType === "string" && { mimeType }),
    };
    if (typeof text === "string") return { ...said, text };
    if (typeof blob === "string") return { ...said, blob };
    throw wrong(what, "a text, or contents with a text or a blob in base64");
  });
}

function toTexts(values: unknown, what: string): readonly string[] {
  const all = (values ?? []) as readonly unknown[];
  if (Array.isArray(all) && all.every((one) => typeof one === "string")) return all;
  throw wrong(what, "a list of texts");
}

function tooBig(what: string, { keptCharacters }: Limits): PegboardError {
  return new PegboardError("tool_error", `${what} is bigger than ${keptCharacters} characters`);
}

function wrong(what: string, wanted: string): PegboardError {
  return new PegboardError("tool_error", `${what} came in a form that is not valid: it must be ${wanted}`);
}
