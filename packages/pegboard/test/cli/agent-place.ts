import type { ChildProcess } from "node:child_process";
import { onTestFinished } from "vitest";
import { makePlace, type Place } from "./run.ts";

/** A script's turn, as a file has it. */
export type FileTurn = string | Readonly<Record<string, unknown>>;

/** A trusted workspace with the agent `helper`, whose model says these turns, and more files. */
export function makeAgentPlace(turns: readonly FileTurn[], more: Readonly<Record<string, string>> = {}): Place {
  return makePlace(
    {
      "pegboard.yaml": "version: 1\nmodel: scripted:script.json\n",
      "agents/helper.md": "---\nname: helper\ndescription: Helps\n---\nYou help.\n",
      "script.json": JSON.stringify(turns),
      ...more,
    },
    { trust: true },
  );
}

/** Starts a command that is gone when the test is over, and tells when it has written something to standard error. */
export function startAndWatch(
  place: Place,
  ...argv: readonly string[]
): { readonly child: ChildProcess; said(text: string): Promise<string> } {
  const child = place.start({}, ...argv);
  onTestFinished(() => void child.kill("SIGKILL"));
  let all = "";
  child.stderr!.on("data", (chunk: Buffer) => (all += chunk.toString()));
  const said = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const look = () => all.includes(text) && resolve(all);
      child.stderr!.on("data", look);
      child.once("close", () => reject(new Error(`it ended without saying "${text}": ${all}`)));
      look();
    });
  return { child, said };
}
