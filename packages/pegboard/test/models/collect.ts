import { toFailure } from "../../src/core/error.ts";
import type { Model, ModelPart, ModelRequest } from "../../src/core/model.ts";

/** A request with little in it. */
export function ask(request: Partial<ModelRequest> = {}): ModelRequest {
  const messages = [{ role: "user", content: [{ type: "text", text: "Hello" }] }] as const;
  return { system: "You are brief.", messages, tools: [], ...request };
}

/** All parts of a turn, texts and reasoning joined as a kernel joins them. */
export async function collect(
  model: Model,
  request: ModelRequest = ask(),
  signal = new AbortController().signal,
): Promise<ModelPart[]> {
  const parts: ModelPart[] = [];
  for await (const part of model.stream(request, signal)) {
    const last = parts.at(-1);
    if ((part.type === "text" || part.type === "reasoning") && last?.type === part.type && last.meta === undefined)
      parts[parts.length - 1] = { ...part, text: last.text + part.text };
    else parts.push(part);
  }
  return parts;
}

/** The failure of a turn, as data. */
export async function failureOf(turn: Promise<unknown>) {
  return turn.then(
    () => expectFailure(),
    (error: unknown) => toFailure(error),
  );
}

function expectFailure(): never {
  throw new Error("The turn did not fail");
}
