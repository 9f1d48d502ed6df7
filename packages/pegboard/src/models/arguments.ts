import type { Json } from "@pegboard/contract";
import { messageOf } from "../core/error.ts";

/** The arguments of a call as a model wrote them: their value, or what is wrong with them and their text as it came. */
export function parseArguments(text: string): { readonly input: Json; readonly problem?: string } {
  // Models leave the arguments of a tool that takes none empty.
  if (text.trim() === "") return { input: {} };
  try {
    return { input: JSON.parse(text) as Json };
  } catch (error) {
    return { input: text, problem: `The arguments are not JSON: ${messageOf(error)}` };
  }
}
