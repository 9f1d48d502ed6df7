import { constants } from "node:os";
import type { Json, Result } from "@pegboard/contract";
import { PegboardError } from "../core/error.ts";
import { toResult } from "../core/result.ts";
import type { ProcessOutcome } from "./process.ts";

/** Why a program gave no result: `details.reason` of the error. */
export type CommandProblem =
  | NonNullable<ProcessOutcome["problem"]>["kind"]
  | "cancelled"
  | "too_much_output"
  | "signal"
  | "exit_code"
  | "empty_output"
  | "not_utf8"
  | "not_json"
  | "declared";

const SHOWN_CHARACTERS = 2_000;

/**
 * What a program answered, with the end of its standard error in `meta`. Throws `unavailable` when it could not be
 * started and `tool_error` when it failed, said that it failed, or gave no JSON; the error names the command and holds
 * the end of standard error.
 */
export function toCommandResult(command: readonly string[], outcome: ProcessOutcome): Result {
  const { code, signal, stdout, problem, ended } = outcome;
  const refuse = (reason: CommandProblem, what: string) => toError(command, outcome, reason, what);
  if (problem) throw refuse(problem.kind, problem.message);
  if (ended === "overflow")
    throw refuse("too_much_output", `wrote more than ${stdout.bytes.length} bytes and was ended`);
  if (ended !== undefined) throw refuse("cancelled", "was ended");
  if (signal !== null) throw refuse("signal", `was ended by ${signal}`);
  if (code !== 0) throw refuse("exit_code", `ended with exit code ${code}${asSignal(code)}`);
  if (stdout.total === 0) throw refuse("empty_output", "wrote nothing to its standard output; it must write JSON");
  const result = toResult(readAnswer(stdout.bytes, refuse));
  const log = lastOf(outcome.stderr.bytes);
  return log === "" ? result : { ...result, meta: { ...result.meta, stderr: log } };
}

type Refuse = (reason: CommandProblem, what: string) => PegboardError;

function readAnswer(bytes: Buffer, refuse: Refuse): unknown {
  const text = decode(bytes);
  if (text === undefined) throw refuse("not_utf8", `wrote what is not UTF-8: ${JSON.stringify(lastOf(bytes))}`);
  if (text.trim() === "") throw refuse("empty_output", "wrote only blanks to its standard output; it must write JSON");
  const value = parse(text);
  if (value === undefined) throw refuse("not_json", `wrote what is not JSON: ${text.slice(0, SHOWN_CHARACTERS)}`);
  const failure = declaredFailure(value);
  if (failure) throw new PegboardError("tool_error", failure.message, { details: failure.details });
  return unwrap(value);
}

const WRAPPERS = ["result", "data", "output"];
const BESIDE = ["success", "error", "error_type", "errorType", "metadata"];

/** What `{success: true, result}`, `{data}` and the like hold; any other value as it is. */
function unwrap(value: unknown): unknown {
  if (!isObject(value)) return value;
  const wrapper = WRAPPERS.find((key) => Object.hasOwn(value, key));
  const isWrapped = Object.keys(value).every((key) => WRAPPERS.includes(key) || BESIDE.includes(key));
  if (wrapper !== undefined && isWrapped) return value[wrapper];
  const { success, ...rest } = value;
  return success === true ? (Object.keys(rest).length === 0 ? undefined : rest) : value;
}

/** The text and type of `{success: false, …}` or `{error: …}`. */
function declaredFailure(value: unknown): { readonly message: string; readonly details: Json } | undefined {
  if (!isObject(value)) return undefined;
  const { success, error } = value;
  const declares =
    success === false || (success !== true && (typeof error === "string" ? error !== "" : isObject(error)));
  if (!declares) return undefined;
  const inner = isObject(error) ? error : {};
  const said = [typeof error === "string" ? error : inner["message"], value["message"]].find(
    (text) => typeof text === "string" && text !== "",
  );
  const type = [value["error_type"], value["errorType"], inner["type"], inner["code"]].find(
    (text) => typeof text === "string",
  );
  return {
    message: typeof said === "string" ? said : "The tool failed without saying why",
    details: { reason: "declared", ...(typeof type === "string" && { type }) },
  };
}

function toError(
  command: readonly string[],
  outcome: ProcessOutcome,
  reason: CommandProblem,
  what: string,
): PegboardError {
  const { code, signal, stderr, stdout, problem } = outcome;
  const shown = command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(" ");
  const log = lastOf(stderr.bytes);
  const declared = problem ? undefined : declaredFailure(parse(decode(stdout.bytes) ?? ""));
  const why = [declared?.message, log].filter((text) => text !== undefined && text !== "").join("\n");
  const message = problem
    ? `${what} (command: ${shown})`
    : `The command ${shown} ${what}${why === "" ? "" : `:\n${why}`}`;
  return new PegboardError(problem ? "unavailable" : "tool_error", message, {
    details: {
      reason,
      command: [...command],
      ...(code !== null && { exitCode: code }),
      ...(signal !== null && { signal }),
      ...(log !== "" && { stderr: log }),
    },
  });
}

/** By such a code a shell, or bubblewrap, says which signal ended what it ran; a program may mean something else by it. */
function asSignal(code: number | null): string {
  const name = Object.entries(constants.signals).find(([, number]) => number === (code ?? 0) - 128)?.[0];
  return name === undefined ? "" : `, as after ${name}`;
}

function lastOf(bytes: Buffer): string {
  return bytes
    .subarray(-4 * SHOWN_CHARACTERS)
    .toString("utf8")
    .trim()
    .slice(-SHOWN_CHARACTERS);
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
