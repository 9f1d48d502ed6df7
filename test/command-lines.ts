import { createProgram } from "../packages/pegboard/src/cli/main.ts";

type Command = ReturnType<typeof createProgram>;

/** The whole command line, and what it prints; nothing of it runs. */
export function createSilentProgram(): { readonly program: Command; readonly printed: string[] } {
  const printed: string[] = [];
  const terminal = {
    print: (text: string) => void printed.push(text),
    write() {},
    send: async () => {},
    note() {},
    warn() {},
    style: (_: unknown, text: string) => text,
    interactive: false,
    columns: undefined,
    flush: async () => {},
  };
  return { program: createProgram(terminal, () => {}), printed };
}

const HEAD = `# Command line

Made from the program itself. Every command also takes the options of \`pegboard\`, in front of its name or behind it.
`;

/** The help of every command as a document. What all commands take is shown once, with the program. */
export function toReference(): string {
  const { program, printed } = createSilentProgram();
  const shared = new Set(program.options.map(({ flags }) => flags));
  const sections = withSubcommands(program).map((command) => {
    const repeated = command === program ? [] : command.options.filter(({ flags }) => shared.has(flags));
    for (const option of repeated) option.hideHelp();
    if (command !== program) command.helpOption(false);
    command.configureOutput({ getOutHelpWidth: () => 100 });
    printed.length = 0;
    command.outputHelp();
    return `## ${fullName(command)}\n\n\`\`\`text\n${printed.join("\n")}\n\`\`\`\n`;
  });
  return [HEAD, ...sections].join("\n");
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap((sub) => withSubcommands(sub as Command))];
}

/** What a shell text names that does not exist: commands and options of the program, scripts of npm. */
export function commandProblems(text: string, program: Command, scripts: readonly string[]): string[] {
  return text
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .flatMap(toCommands)
    .flatMap(([name, ...words]) => {
      if (name === "npx") return words[0] === "pegboard" ? problemsOf(words.slice(1), program) : [];
      if (name === "npm") return scriptProblems(words, scripts);
      return name === "pegboard" ? problemsOf(words, program) : [];
    });
}

const TOKEN = /(?:'[^']*'|"[^"]*"|[^\s|;&()<>'"])+|[|;&()<>]+/g;

/** The commands of a line as words: split where the shell would, without variables in front and comments behind. */
function toCommands(line: string): string[][] {
  const commands: string[][] = [[]];
  for (const token of line.match(TOKEN) ?? []) {
    if (token === "#") break;
    if (/^[|;&()<>]/.test(token)) commands.push([]);
    else if (commands.at(-1)!.length > 0 || !/^[A-Z_]+=/.test(token)) commands.at(-1)!.push(token);
  }
  return commands.filter((words) => words.length > 0);
}

function scriptProblems([command = "", script = ""]: readonly string[], scripts: readonly string[]): string[] {
  const named = command === "run" ? script : ["start", "test"].includes(command) ? command : undefined;
  return named === undefined || scripts.includes(named) ? [] : [`npm has no script "${named}"`];
}

function problemsOf(words: readonly string[], program: Command): string[] {
  let command = program;
  let rest = words;
  while (command.commands.length > 0 && rest[0] !== undefined && !rest[0].startsWith("-")) {
    const next = command.commands.find((sub) => sub.name() === rest[0] || sub.aliases().includes(rest[0]!));
    if (!next) return [`${fullName(command)} has no command "${rest[0]}"`];
    command = next;
    rest = rest.slice(1);
  }
  const flags = rest.filter((word) => /^--?[A-Za-z]/.test(word)).map((word) => word.split("=", 1)[0]!);
  return flags.filter((flag) => !knows(command, flag)).map((flag) => `${fullName(command)} has no option ${flag}`);
}

function knows(command: Command, flag: string): boolean {
  if (["-h", "--help"].includes(flag)) return true;
  return (
    command.options.some(({ short, long }) => flag === short || flag === long) ||
    (command.parent !== null && knows(command.parent, flag))
  );
}

/** The command with those above it: `pegboard policy explain`. */
function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();
}
