import type { Redirection } from "unbash";
import type { Output } from "./command.ts";
import { literalOf } from "./word.ts";

/** Where a command reads from and writes to. */
export interface Flow {
  stdin?: string;
  stdout: Output;
  stderr: Output;
}

/**
 * Takes a redirection into the flow, or says why only a shell can do it. Taken is what cannot touch a file: the null device,
 * one output into the other, and literal text as input.
 */
export function redirect(part: Redirection, flow: Flow): string | undefined {
  const descriptor =
    part.descriptor?.type === "FileDescriptor" ? part.descriptor.value : part.descriptor ? NaN : undefined;
  if (part.type === "HereDoc") {
    if (part.operator !== "<<" || !part.delimiter?.quoted || !part.closing || (descriptor ?? 0) !== 0)
      return "it has a here-document that a shell would expand";
    flow.stdin = part.body.text;
    return undefined;
  }
  const target = part.target && literalOf(part.target);
  if (part.type === "HereString") {
    if (target === undefined || (descriptor ?? 0) !== 0) return "it has a here-string that a shell would expand";
    flow.stdin = `${target}\n`;
    return undefined;
  }
  if (target === "/dev/null") return toNull(part.operator, descriptor, flow);
  if (part.operator === ">&" && descriptor === 2 && target === "1") flow.stderr = flow.stdout;
  else if (part.operator === ">&" && (descriptor ?? 1) === 1 && target === "2") flow.stdout = flow.stderr;
  else return `it redirects to or from a file or descriptor (${part.operator})`;
  return undefined;
}

function toNull(operator: string, descriptor: number | undefined, flow: Flow): string | undefined {
  if (operator === "<" && (descriptor ?? 0) === 0) flow.stdin = "";
  else if (operator === "&>" || operator === "&>>") flow.stdout = flow.stderr = "null";
  else if ((operator === ">" || operator === ">>" || operator === ">|") && (descriptor ?? 1) === 1)
    flow.stdout = "null";
  else if ((operator === ">" || operator === ">>" || operator === ">|") && descriptor === 2) flow.stderr = "null";
  else return `it redirects a descriptor (${operator})`;
  return undefined;
}
