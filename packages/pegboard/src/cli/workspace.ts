import type { Approver } from "../core/approval.ts";
import { describeDiagnostic } from "../core/diagnostic.ts";
import { messageOf, PegboardError } from "../core/error.ts";
import { openWorkspace, type Workspace } from "../node/workspace.ts";
import { toApprover } from "./approver.ts";
import type { CommandInput } from "./command.ts";
import { type Settings, toSettings } from "./settings.ts";
import { type Terminal, visible } from "./terminal.ts";

/** A workspace opened for one command, with the settings that hold for it. */
export interface Opened {
  readonly workspace: Workspace;
  readonly settings: Settings;
  /** Whether `--strict` makes the command fail because of what did not load. */
  readonly tooStrict: boolean;
}

/** How a command opens its workspace, where that is not as usual. */
export interface OpenForOptions {
  /** Instead of who is at the terminal. */
  readonly approver?: Approver | undefined;
  /** Nothing at all is written. */
  readonly readOnly?: boolean;
  /** What changes on disk is loaded, without a restart. */
  readonly watch?: boolean;
}

/**
 * Opens the workspace that a command is meant for, and says what did not load. Who is at the terminal is asked for
 * approvals, unless there is another approver.
 */
export async function openFor({ options, terminal }: CommandInput, given: OpenForOptions = {}): Promise<Opened> {
  const settings = toSettings(options);
  const { approve, timeoutMs, approvalMs, home, forceModel } = settings;
  const approver = given.approver ?? toApprover(settings, terminal);
  const workspace = await openWorkspace(settings.workspace.value, {
    trust: settings.trust.value,
    home: home.value,
    remember: !given.readOnly,
    ...(given.watch && { watch: true }),
    ...(options.hostTools && { hostTools: options.hostTools }),
    ...(options.hostToolsModule && { hostToolsModules: options.hostToolsModule }),
    ...(approver && { approver }),
    ...(approve.value && { approve: approve.value }),
    ...(forceModel.value !== undefined && { forceModel: forceModel.value }),
    limits: {
      ...(timeoutMs.value !== undefined && { timeoutMs: timeoutMs.value }),
      ...(approvalMs.value !== undefined && { approvalMs: approvalMs.value }),
    },
  });
  for (const diagnostic of workspace.diagnostics) {
    const line = `${diagnostic.severity}: ${visible(describeDiagnostic(diagnostic))}`;
    if (diagnostic.severity === "error") terminal.warn(line);
    else terminal.note(line);
  }
  return { workspace, settings, tooStrict: options.strict === true && workspace.diagnostics.length > 0 };
}

/** The error of work that needs a workspace where there is none. */
export function noWorkspace(folder: string): PegboardError {
  return new PegboardError(
    "invalid_config",
    `There is no pegboard.yaml in ${folder}, nor above it. Make one with: pegboard init`,
  );
}

const CLOSE_MS = 2_000;

/** Closes a workspace. What does not clean up well, or in time, is told and left behind: the result is out already. */
export async function closeWorkspace(workspace: Workspace, terminal: Terminal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<true>((resolve) => (timer = setTimeout(() => resolve(true), CLOSE_MS)));
  try {
    if (await Promise.race([workspace.close(), late]))
      terminal.warn(`warning: a tool did not clean up within ${CLOSE_MS / 1000} seconds`);
  } catch (error) {
    terminal.warn(`warning: ${messageOf(error)}`);
  } finally {
    clearTimeout(timer);
  }
}
