import type { ClientMethod, Json, Result } from "@pegboard/contract";
import type { RunForPlugin } from "../../plugins/plugin-host.ts";
import type { ToInside, ToOutside } from "./protocol.ts";
import { fromSentError } from "./sent-value.ts";

/** What the inside asks the outside, and the answer. */
type Question = WithoutId<Extract<ToOutside, { readonly type: "call" | "run" | "client-ask" }>>;
type Answer = Extract<ToInside, { readonly type: "called" | "ran" | "client-answer" }>;
type WithoutId<Message> = Message extends unknown ? Omit<Message, "id"> : never;

/** The outside, as code inside asks it; `of` is the request during which it does. */
export interface Outside {
  /** Calls a tool. Never rejects. */
  call(tool: string, input: Json, of?: number): Promise<Result>;
  /** Runs an agent. Rejects when the run fails. */
  run(prompt: string, options: RunForPlugin, of?: number): Promise<string>;
  /** Asks the client of a call. Rejects when it does not answer. */
  askClient(key: string, method: ClientMethod, params: Json | undefined, of: number): Promise<Json>;
  /** Takes an answer. */
  answer(answer: Answer): void;
  /** Whether an answer is missing. */
  readonly isAsked: boolean;
}

/** Makes what asks the outside; `changed` hears of every question. */
export function createOutside(send: (message: ToOutside) => void, changed: () => void): Outside {
  const asked = new Map<number, (answer: Answer) => void>();
  let made = 0;
  const ask = (question: Question, of: number | undefined) => {
    const id = ++made;
    return new Promise<Answer>((resolve) => {
      asked.set(id, resolve);
      changed();
      send({ ...question, id, ...(of !== undefined && { of }) });
    });
  };
  return {
    get isAsked() {
      return asked.size > 0;
    },
    async call(tool, input, of) {
      const answer = await ask({ type: "call", tool, input }, of);
      return (answer as Answer & { type: "called" }).result;
    },
    async run(prompt, options, of) {
      const { text = "", error } = (await ask({ type: "run", prompt, options }, of)) as Answer & { type: "ran" };
      if (error) throw fromSentError(error);
      return text;
    },
    async askClient(key, method, params, of) {
      const question = { type: "client-ask", key, method, ...(params !== undefined && { params }) } as const;
      const { answer = null, error } = (await ask(question, of)) as Answer & { type: "client-answer" };
      if (error) throw fromSentError(error);
      return answer;
    },
    answer(answer) {
      asked.get(answer.id)?.(answer);
      asked.delete(answer.id);
    },
  };
}
