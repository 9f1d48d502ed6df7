import { StringDecoder } from "node:string_decoder";

const END = ["\r", "\n"];
const CANCEL = ["\u0003", "\u0004"];
const ERASE = ["\u007f", "\b"];

/** Asks for a line on standard error that is not shown while it is typed. Resolves to undefined when it is cancelled. */
export function askHidden(question: string): Promise<string | undefined> {
  const { stdin, stderr } = process;
  const decoder = new StringDecoder("utf8");
  let typed: string[] = [];
  // First: what is typed as soon as the question is there must not be shown either.
  stdin.setRawMode(true).resume();
  stderr.write(question);
  return new Promise((resolve) => {
    const finish = (value: string | undefined) => {
      stdin.off("data", read).off("end", cancel).setRawMode(false).pause();
      stderr.write("\n");
      resolve(value);
    };
    const cancel = () => finish(undefined);
    const read = (chunk: Buffer) => {
      for (const character of decoder.write(chunk)) {
        if (END.includes(character)) return finish(typed.join(""));
        if (CANCEL.includes(character)) return cancel();
        if (ERASE.includes(character)) typed = typed.slice(0, -1);
        else typed.push(character);
      }
    };
    stdin.on("data", read).on("end", cancel);
  });
}
