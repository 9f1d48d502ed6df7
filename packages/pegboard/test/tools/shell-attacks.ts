import fc from "fast-check";
import { expect } from "vitest";
import { compileShellPolicy, decideCommand } from "../../src/tools/shell/decide.ts";
import { attack, createOracle, hiding } from "./shell-oracle.ts";

const policy = compileShellPolicy({
  default: "ask",
  rules: [
    { pattern: "git ", approval: "preApproved" },
    { pattern: "ls", approval: "preApproved" },
    { pattern: "cat", approval: "preApproved" },
  ],
});

// Written by hand, and not from the profiles: what must not be among the arguments of anything that is allowed.
const FORBIDDEN =
  /^(?:-O|--(?:up|out|exec|ext-|no-ind|conf|git-dir|work-tree|rec|open|cont|text))|^\.\.(?:\/|$)|^\/(?!dev\/null$)/;
const VALUES = ["-m", "--grep", "-S"];
// Behind a sub-command these mean something harmless.
const FORBIDDEN_FIRST = /^-[cCp]/;

/** Tries so many texts around allowed commands. How many were allowed: each was shown to a real bash. */
export function tryAttacks(count: number, seed?: number): { readonly allowed: number } {
  const witness = createOracle();
  let allowed = 0;
  fc.assert(
    fc.property(attack, (text) => {
      const { decision, commands } = decideCommand(text, policy);
      if (decision !== "preApproved") return;
      allowed++;
      const { started, made } = witness(text);
      const looked = commands.map(({ argv }) => JSON.stringify(argv));
      expect(made).toEqual([]);
      // Not all of them need to start: what follows || does only on failure.
      for (const argv of started) {
        const at = looked.indexOf(JSON.stringify(argv));
        expect(
          at,
          `${JSON.stringify(text)} starts ${JSON.stringify(argv)}, and only ${looked.join(", ")} were looked at`,
        ).toBeGreaterThanOrEqual(0);
        looked.splice(at, 1);
        expect(optionsOf(argv).filter((word) => FORBIDDEN.test(word))).toEqual([]);
        expect(argv[1] ?? "").not.toMatch(argv[0] === "git" ? FORBIDDEN_FIRST : /^$a/);
      }
      expect(started.length, text).toBeGreaterThan(0);
    }),
    { numRuns: count, ...(seed !== undefined && { seed }) },
  );
  return { allowed };
}

const blocking = compileShellPolicy({
  default: "ask",
  rules: [
    { pattern: "*", approval: "preApproved", unsafe: true },
    { pattern: "rm ", approval: "blocked" },
  ],
});

/** Hides a blocked command in so many texts. How many of them a real bash made run it: each must be blocked. */
export function tryHiding(count: number): { readonly ran: number } {
  const witness = createOracle();
  let ran = 0;
  fc.assert(
    fc.property(hiding("rm x"), (text) => {
      if (!witness(text).started.some(([program]) => program === "rm")) return;
      ran++;
      expect(decideCommand(text, blocking).decision, JSON.stringify(text)).toBe("blocked");
    }),
    { numRuns: count },
  );
  return { ran };
}

/** The words that a program may take for options: no values of those that have one, nothing behind `--`. */
function optionsOf(argv: readonly string[]): string[] {
  const words = argv.filter((_, index) => !VALUES.includes(argv[index - 1]!));
  return words.includes("--") ? words.slice(0, words.indexOf("--")) : words;
}
