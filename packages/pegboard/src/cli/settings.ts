import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ApproveMode } from "../core/approval.ts";
import { parseDuration } from "../core/duration.ts";
import { PegboardError } from "../core/error.ts";
import { CONFIG_FILE, findWorkspace, userFolder } from "../node/places.ts";

/** The options that every command takes, as they were typed. */
export interface GlobalOptions {
  readonly workspace?: string;
  readonly json?: boolean;
  readonly trust?: boolean;
  readonly approve?: string;
  readonly quiet?: boolean;
  readonly color?: boolean;
  readonly strict?: boolean;
  readonly timeout?: string;
  readonly expires?: string;
  readonly hostTools?: readonly string[];
  readonly hostToolsModule?: readonly string[];
}

/** A setting and where its value comes from. */
export interface Setting<T> {
  readonly value: T;
  readonly origin: string;
}

/** What holds for this run. An option that was left out overrides nothing. */
export interface Settings {
  /** The workspace's folder, or the working folder when there is no workspace. */
  readonly workspace: Setting<string>;
  readonly home: Setting<string>;
  readonly trust: Setting<boolean>;
  readonly approve: Setting<ApproveMode | undefined>;
  readonly timeoutMs: Setting<number | undefined>;
  /** The model that all agents run on, whatever is named. */
  readonly forceModel: Setting<string | undefined>;
  /** How long an approval request waits for its answer. */
  readonly approvalMs: Setting<number | undefined>;
}

const MODES = ["ask", "all", "none", "wait"] as const;

/** Settles the settings: command line, then environment, then default. Throws `invalid_config` for a wrong value. */
export function toSettings(options: GlobalOptions, env: NodeJS.ProcessEnv = process.env): Settings {
  const pick = (option: string | undefined, flag: string, variable: string): Setting<string | undefined> => {
    if (option !== undefined) return { value: option, origin: flag };
    return env[variable] ? { value: env[variable], origin: variable } : { value: undefined, origin: DEFAULT };
  };
  return {
    workspace: toWorkspace(pick(options.workspace, "--workspace", "PEGBOARD_WORKSPACE")),
    home: { value: userFolder(env), origin: env["PEGBOARD_HOME"] ? "PEGBOARD_HOME" : DEFAULT },
    trust: toTrust(pick(options.trust ? "1" : undefined, "--trust", "PEGBOARD_TRUST")),
    approve: toApprove(pick(options.approve, "--approve", "PEGBOARD_APPROVE")),
    timeoutMs: toTimeout(pick(options.timeout, "--timeout", "PEGBOARD_TIMEOUT")),
    forceModel: pick(undefined, "", "PEGBOARD_FORCE_MODEL"),
    approvalMs: toTimeout({ value: options.expires, origin: "--expires" }),
  };
}

const DEFAULT = "default";

function toWorkspace({ value, origin }: Setting<string | undefined>): Settings["workspace"] {
  if (value === undefined) {
    const found = findWorkspace(process.cwd());
    return found
      ? { value: found, origin: join(found, CONFIG_FILE) }
      : { value: process.cwd(), origin: "working folder" };
  }
  const folder = resolve(value);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return { value: folder, origin };
  throw new PegboardError(
    "invalid_config",
    `There is no folder ${folder} (${origin}). Make a workspace with: pegboard init ${value}`,
  );
}

function toTrust({ value, origin }: Setting<string | undefined>): Settings["trust"] {
  return value === "1" ? { value: true, origin } : { value: false, origin: DEFAULT };
}

function toApprove({ value, origin }: Setting<string | undefined>): Settings["approve"] {
  const mode = MODES.find((one) => one === value);
  if (value !== undefined && mode === undefined)
    throw new PegboardError("invalid_config", `${origin} must be one of ${MODES.join(", ")}; it is "${value}"`);
  return { value: mode, origin };
}

function toTimeout({ value, origin }: Setting<string | undefined>): Settings["timeoutMs"] {
  if (value === undefined) return { value, origin };
  const milliseconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : parseDuration(value);
  if (milliseconds === undefined || milliseconds <= 0)
    throw new PegboardError(
      "invalid_config",
      `${origin} must be seconds, or a time such as 30s or 5m; it is "${value}"`,
    );
  return { value: milliseconds, origin };
}
