import type { Effects } from "./inside/run-commands.ts";

/** What a command did that a rule which allows it does not say. */
export function violations(argv: readonly string[], { changed, started, toldSecret, connected }: Effects): string[] {
  const allowed = Object.entries(MAY_CHANGE).find(([names]) => isOneOf(argv, names))?.[1];
  return [
    ...changed.filter((path) => !allowed?.test(path)).map((path) => `changes ${path}`),
    ...started.map((program) => `starts ${program}`),
    ...(toldSecret ? ["tells what is outside of the workspace"] : []),
    ...(connected && !isOneOf(argv, MAY_CONNECT) ? ["connects"] : []),
  ];
}

/** They ask the registry. */
const MAY_CONNECT = "npm view|npm info|npm outdated|npm audit|npm install|npm ci";

/** Working in a repository changes its records, but not its settings and hooks; some of it changes files as well. */
const RECORDS = /^workspace\/\.git\/(?!hooks|config$)/;
const TREE = /^workspace\/(?!\.git\/(?:hooks|config$)|made)/;

/** The changes that a command is there for. All others only look. */
const MAY_CHANGE: Readonly<Record<string, RegExp>> = {
  "git add|git commit|git branch|git tag|git reset|git fetch": RECORDS,
  "git push": /^(?:remote\.git|workspace\/\.git)\/(?!hooks|config$)/,
  "git checkout|git switch|git restore|git merge|git rebase|git pull|git cherry-pick|git revert|git stash": TREE,
  "git mv|git rm": /^workspace\/(?!\.git\/(?:hooks|config$))/,
  "npm install|npm ci": /^(?:home\/\.npm|workspace\/(?:node_modules|package-lock\.json))(?:\/|$)/,
  // They keep notes of their own.
  npm: /^home\/\.npm(?:\/|$)/,
  vitest: /^(?:home\/\.local|workspace\/node_modules)(?:\/|$)/,
};

function isOneOf(argv: readonly string[], names: string): boolean {
  return names.split("|").some((name) => `${argv.join(" ")} `.startsWith(`${name} `));
}
