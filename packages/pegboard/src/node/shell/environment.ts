import { delimiter, isAbsolute } from "node:path";
import { minimalEnvironment } from "../environment.ts";
import { isBelow, realOf } from "./locate.ts";

// Nobody is there to answer, and git is not to take the settings of a folder that only looks like a repository.
const UNATTENDED = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_EDITOR: "true",
  GIT_TERMINAL_PROMPT: "0",
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: "safe.bareRepository",
  GIT_CONFIG_VALUE_0: "explicit",
  GIT_CONFIG_KEY_1: "core.fsmonitor",
  GIT_CONFIG_VALUE_1: "false",
};

/**
 * The environment of commands: a few names of the host and those that the operator named. Programs are not looked for in
 * the workspace: whoever may write there must not get to say what `git` is.
 */
export function shellEnvironment(
  root: string,
  names: readonly string[],
  host: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const named = names.flatMap((name) => (host[name] === undefined ? [] : [[name, host[name]] as const]));
  const { PATH = "/usr/local/bin:/usr/bin:/bin", ...rest } = minimalEnvironment({}, host);
  const realRoot = realOf(root) ?? root;
  const folders = PATH.split(delimiter).filter(
    (folder) => isAbsolute(folder) && !isBelow(realOf(folder) ?? folder, realRoot),
  );
  return { ...rest, ...UNATTENDED, ...Object.fromEntries(named), PATH: folders.join(delimiter) };
}
