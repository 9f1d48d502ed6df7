import type { ApprovalAnswer, ApprovalRequest, Remember } from "../../core/approval.ts";
import { visible } from "../visible.ts";

/** What is asked of the person at the client: a message, and a form with one field. */
export interface ApprovalForm {
  readonly message: string;
  readonly requestedSchema: {
    readonly type: "object";
    readonly properties: { readonly answer: { type: "string"; title: string; description: string; enum: string[] } };
    readonly required: string[];
  };
}

/** An approval request that waits, as far as it is shown. */
export type Asked = Pick<
  ApprovalRequest,
  "id" | "tool" | "input" | "summary" | "reason" | "options" | "expiresAt" | "scope"
> & {
  readonly chain?: readonly string[];
};

const DENY = "deny";
const ALLOW: Readonly<Record<Exclude<Remember, "scope">, string>> = {
  once: "allow once",
  input: "allow this input in this session",
  tool: "allow this tool in this session",
  rule: "allow from now on",
};

function allowing(option: Remember, scope: Asked["scope"] = []): string {
  return option === "scope" ? visible(`allow in this session: ${scope.join(", ")}`) : ALLOW[option];
}

/** No client shows more of an input than this in a dialog. */
const MOST = 4_000;

/** The form for an approval request. Choices are words of their own: not every client shows titles. */
export function toApprovalForm(asked: Asked): ApprovalForm {
  const { tool, input, summary, reason, chain = [], options, scope } = asked;
  const whole = JSON.stringify(input, null, 2);
  const shown = whole.length > MOST ? `${whole.slice(0, MOST)}\n… (${whole.length - MOST} more characters)` : whole;
  const by = chain.length > 0 ? `\nAsked by: ${chain.join(" → ")}` : "";
  return {
    message: visible(`May the tool "${tool}" run?\n${summary}\nWhy this is asked: ${reason}${by}\nInput: ${shown}`),
    requestedSchema: {
      type: "object",
      properties: {
        answer: {
          type: "string",
          title: "Answer",
          description: "Whether it may run, and for how long that holds",
          enum: [...options.map((option) => allowing(option, scope)), DENY],
        },
      },
      required: ["answer"],
    },
  };
}

/** How a client answered a form. */
export interface FormAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>> | null | undefined;
}

/**
 * What an answer to the form means. Undefined where nobody decided: the form was dismissed, and somebody else may still
 * answer. What is none of the choices is a refusal.
 */
export function toApprovalAnswer(
  { action, content }: FormAnswer,
  { options, scope }: Pick<Asked, "options" | "scope">,
): ApprovalAnswer | undefined {
  if (action === "cancel") return undefined;
  if (action !== "accept") return { decision: "deny", note: "it was declined in the client" };
  const said = content?.["answer"];
  if (said === DENY) return { decision: "deny" };
  const remember = options.find((option) => allowing(option, scope) === said);
  return remember ? { decision: "allow", remember } : { decision: "deny", note: "the client sent none of the choices" };
}

/** What a model and a person are told of calls that wait, and nobody at the client could be asked. */
export function toWaitingText(asks: readonly Asked[]): string {
  const each = asks.map(
    ({ id, tool, summary, reason, expiresAt }) =>
      `Tool "${tool}" has not run: it needs the approval of a person (${reason}), and the client could not ask one.
What it would do: ${summary}
A person can answer until ${new Date(expiresAt).toISOString()}, in the folder of the workspace:
  pegboard approvals show ${id}
  pegboard approvals answer ${id} allow
  pegboard approvals answer ${id} deny`,
  );
  return `${each.join("\n\n")}

It runs as soon as it is allowed; call it again with the same input to get its result. A rule in the person's policy.yaml
allows it without being asked.`;
}
