import type { ApproveMode } from "../core/approval.ts";
import { PegboardError } from "../core/error.ts";
import type { SessionOptions } from "../core/session-options.ts";
import { toApprover } from "./approver.ts";
import type { RunView } from "./run-view.ts";
import type { Settings } from "./settings.ts";
import type { Terminal } from "./terminal.ts";

/** What happens in a chat when a call asks. What is blocked never comes to it. */
export interface ChatApproval {
  readonly mode: ApproveMode;
  /** How the session of the chat is opened. */
  readonly options: Pick<SessionOptions, "approver" | "approve">;
  /** Changes it for the calls to come. Throws `invalid_config` for a word that is no mode, and where none can be chosen. */
  change(mode: string): void;
}

const MODES = ["ask", "all", "none"] as const;

/** The approval of a chat. Only who is at the terminal can change it: a program says at the start what holds. */
export function createChatApproval(settings: Settings, terminal: Terminal, view: RunView): ChatApproval {
  const { value } = settings.approve;
  const person =
    terminal.interactive && value !== "wait"
      ? toApprover({ ...settings, approve: { value: "ask", origin: "/approve" } }, terminal)
      : undefined;
  if (!person) return fixed(value ?? "none");
  let mode: ApproveMode = value ?? "ask";
  return {
    get mode() {
      return mode;
    },
    options: {
      approve: "ask",
      approver(request, given) {
        if (mode === "ask") return view.during(() => person(request, given));
        return { decision: mode === "all" ? "allow" : "deny", note: `approve mode ${mode} of the chat` };
      },
    },
    change(asked) {
      const found = MODES.find((one) => one === asked);
      if (!found) throw new PegboardError("invalid_config", `"${asked}" is none of ${MODES.join(", ")}`);
      mode = found;
    },
  };
}

function fixed(mode: ApproveMode): ChatApproval {
  return {
    mode,
    options: {},
    change() {
      throw new PegboardError(
        "invalid_config",
        `The mode "${mode}" cannot be changed in this chat: start it with --approve and another`,
      );
    },
  };
}
