import fc from "fast-check";

const HARMLESS = [
  "git status",
  "git log --oneline",
  "git diff HEAD~1",
  "git show HEAD:a.txt",
  "git branch --list",
  "git add a.txt",
  "git stash list",
  "ls -la",
  "cat a.txt",
  "git rev-parse HEAD",
  "git show stash@{0}",
  "git log main..dev",
];
const JOINS = [" && ", " || ", " ; ", ";", " | ", "|", "&&", "\n", "\n\n", " \\\n ", "  ", "\t"];
const DANGERS = [
  "&",
  " & ",
  "|&",
  ">",
  ">> ",
  "> x",
  "2> x",
  "< a.txt",
  "2>&1",
  " >/dev/null",
  " &>/dev/null",
  "$(touch x)",
  "`touch x`",
  "$x",
  "${x:-touch}",
  "$((1))",
  "$[1]",
  "{a,b}",
  "{1..3}",
  "*",
  "?",
  "[a]",
  "~",
  "~/x",
  " # note",
  "#",
  "!",
  " touch x",
  "; touch x",
  "touch",
  " -c core.pager=x",
  " --upload-pack=touch",
  " --upload-pa=touch",
  " --output=x",
  " --outpu=x",
  " -O touch",
  " -Otouch",
  " --no-index /nonexistent/passwd",
  " --ext-diff",
  "a=b ",
  "a+=b ",
  "a[0]=b ",
  "<<'EOF'\na\nEOF\n",
  "<<EOF\n$(touch x)\nEOF\n",
  "<<<x",
  '<<< "$x"',
  "$'\\n'",
  "$'\\x24(touch x)'",
  "$'a\\0b'",
  '$"x"',
  "(",
  ")",
  "{ ",
  "; }",
  "[[ ",
  "if ",
  "; then ",
  "; fi",
  "time ",
  "coproc ",
  "function f { ",
  "f() { ",
  "eval ",
  "exec ",
  "command ",
  "env ",
  "xargs ",
  "../git ",
  "./git ",
  "/nonexistent/git ",
  "gіt ",
  "git\u00a0status",
  "\u00a0",
  "\u2003",
  "\r",
  "\u200b",
  "@(a)",
  "!(a)",
  "\\",
  "\\\n",
  "'",
  '"',
  "''",
  '""',
  "%",
  "^",
  "=",
  ":",
  ",",
  "--",
  " -- ",
  " -",
  " -e",
  " -x",
  " --exec",
  "..",
  " ../x",
  " /nonexistent/passwd",
  "EOF",
];

// A pattern may find any name: what it becomes is not in the text.
const WITHOUT_PATTERNS = [...DANGERS, ...JOINS, ...HARMLESS].filter((part) => !/[*?[]|[@!]\(/.test(part));

/** Texts of anything at all, with a command somewhere in them. */
export const hiding = (command: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.array(fc.constantFrom(...WITHOUT_PATTERNS), { maxLength: 5 }),
      fc.constantFrom(
        command,
        `${command}\n`,
        `$(${command})`,
        `\`${command}\``,
        `'${command}'`,
        `"${command}"`,
        `{ ${command}; }`,
        `(${command})`,
        `;${command};`,
      ),
      fc.array(fc.constantFrom(...WITHOUT_PATTERNS), { maxLength: 5 }),
    )
    .map(([before, hidden, after]) => [...before, hidden, ...after].join(""));

/** Texts around harmless commands: some stay harmless, most do not. */
export const attack: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: joined(fc.oneof(fc.constantFrom(...HARMLESS), quotedCommand()), fc.constantFrom(...JOINS)) },
  {
    weight: 5,
    arbitrary: joined(
      fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...HARMLESS) }, { weight: 2, arbitrary: quotedCommand() }),
      fc.constantFrom(...JOINS, ...DANGERS),
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(
        fc.oneof(
          fc.constantFrom(...DANGERS),
          fc.constantFrom(...HARMLESS, "git ", "commit ", "-m "),
          fc.string({ maxLength: 3 }),
        ),
        { minLength: 1, maxLength: 8 },
      )
      .map((parts) => `git ${parts.join("")}`),
  },
);

function joined(command: fc.Arbitrary<string>, join: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(command, fc.array(fc.tuple(join, fc.oneof(command, fc.constant(""))), { maxLength: 4 }))
    .map(([first, rest]) => first + rest.map(([by, next]) => by + next).join(""));
}

/** A commit message with whatever in it, quoted in one of the ways that shells know. */
function quotedCommand(): fc.Arbitrary<string> {
  const message = fc
    .array(fc.oneof(fc.constantFrom(...DANGERS, "a", " ", "é", "fix: "), fc.string({ maxLength: 4 })), { maxLength: 5 })
    .map((parts) => parts.join("").replaceAll("\0", ""));
  const quoted = fc
    .tuple(message, fc.constantFrom("single", "double", "escaped", "ansi"))
    .map(([text, way]) => quote(text, way));
  return fc
    .tuple(fc.constantFrom("git commit -m ", "git log --grep=", "git commit -m", "git log -S"), quoted)
    .map(([begin, text]) => begin + text);
}

function quote(text: string, way: string): string {
  if (way === "single") return `'${text.replaceAll("'", "'\\''")}'`;
  if (way === "double") return `"${text.replaceAll(/["$`\\]/g, "\\$&")}"`;
  if (way === "ansi") return `$'${text.replaceAll(/['\\]/g, "\\$&")}'`;
  return text.replaceAll(/[^\w/]/gu, (character) => (character === "\n" ? "" : `\\${character}`));
}
