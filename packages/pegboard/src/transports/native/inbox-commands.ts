import { answerSchema, type CommandsOf, objectSchema } from "./command.ts";
import { namedError } from "./wire.ts";
import { REMEMBER } from "../../core/approval.ts";
import { PegboardError } from "../../core/error.ts";

/** What waits for a person, and what agents have done. */
export const INBOX_COMMANDS: CommandsOf<"approval.list" | "approval.answer" | "runs.list"> = {
  "approval.list": {
    description: "Lists the approval requests that wait, in all sessions of whoever asks that are open here",
    session: "none",
    params: objectSchema(),
    result: answerSchema({
      approvals: {
        type: "array",
        items: answerSchema({ id: { type: "string" }, session: { type: "string" }, tool: { type: "string" } }),
      },
    }),
    handle: (_, { desk, principal }) => ({
      approvals: desk
        .sessions(principal)
        .flatMap((session) => session.pending.map((request) => ({ ...request, session: session.id }))),
    }),
  },
  "approval.answer": {
    description: "Answers an approval request; the first answer counts",
    session: "none",
    params: objectSchema(
      {
        approval: { type: "string" },
        decision: { enum: ["allow", "deny"] },
        remember: { enum: [...REMEMBER], description: "For what it holds; once when absent" },
        note: { type: "string", description: "What the agent is told about it" },
      },
      ["approval", "decision"],
    ),
    result: answerSchema({ answered: { const: true } }),
    handle: async ({ approval, ...answer }, { desk, principal }) => {
      try {
        await desk.answer(principal, approval, answer);
      } catch (error) {
        if (error instanceof PegboardError && error.code === "not_found")
          throw namedError("APPROVAL_NOT_FOUND", "not_found", error.message);
        throw error;
      }
      return { answered: true };
    },
  },
  "runs.list": {
    description: "Lists the runs of whoever asks, the newest first",
    session: "none",
    params: objectSchema({ session: { type: "string", description: "Only those of this session" } }),
    result: answerSchema({
      runs: {
        type: "array",
        items: answerSchema({ run: { type: "string" }, session: { type: "string" }, status: { type: "string" } }),
      },
    }),
    handle: async ({ session: only }, { desk, principal }) => {
      const own = (await desk.runtime.sessions.list()).filter((record) => record.principal === principal.id);
      const chosen = only === undefined ? own : own.filter(({ session }) => session === only);
      return { runs: chosen.flatMap(({ runs }) => runs).sort((a, b) => b.startedAt - a.startedAt) };
    },
  },
};
