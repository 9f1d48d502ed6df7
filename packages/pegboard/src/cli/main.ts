import { Command, CommanderError, Option } from "commander";
import { messageOf, PegboardError } from "../core/error.ts";
import { surviveLateErrors } from "../node/guard.ts";
import { userFolder } from "../node/places.ts";
import { userRedactor } from "../node/secrets.ts";
import { VERSION } from "../version.ts";
import type { CommandSpec } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { EXIT, exitCodeOf } from "./exit-code.ts";
import { showFailure } from "./failure.ts";
import type { GlobalOptions } from "./settings.ts";
import { createTerminal, type Terminal, visibleLine } from "./terminal.ts";

/** Runs one command line, and lets the process end whatever tools left running. Resolves to the exit code; never rejects. */
export async function main(argv: readonly string[]): Promise<number> {
  const terminal = createTerminal({
    quiet: argv.includes("--quiet"),
    color: !argv.includes("--no-color"),
    redact: userRedactor(userFolder()).text,
  });
  surviveLateErrors((error) =>
    terminal.warn(`warning: a tool failed outside of its call: ${visibleLine(messageOf(error))}`),
  );
  const code = await run(argv, terminal);
  await terminal.flush();
  endSoon(code);
  return code;
}

async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  let code: number = EXIT.done;
  const program = createProgram(terminal, (result) => (code = result));
  try {
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    return explain(error, argv.includes("--json"), terminal);
  }
}

/** The whole command line: what there is, without running any of it. Documentation and completion read it. */
export function createProgram(terminal: Terminal, done: (code: number) => void): Command {
  const program = new Command("pegboard")
    .description("The wall where every tool of an AI agent hangs")
    .version(VERSION, "-V, --version", "show the version")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.warn(text.trimEnd()),
    })
    .showHelpAfterError("(pegboard --help shows what there is)")
    .enablePositionalOptions();
  const shared = globalOptions();
  for (const option of shared) program.addOption(option);
  program.addHelpOption(HELP);
  for (const [heading, specs] of Object.entries(COMMANDS)) {
    program.commandsGroup(heading);
    for (const spec of specs) addCommand(program, spec, { terminal, done, shared });
  }
  program.commandsGroup("Help:").helpCommand("help [command]", "Show the help of a command");
  program.addHelpText(
    "after",
    "\nExamples:\n  $ pegboard demo\n  $ pegboard init my-tools\n  $ pegboard list\n  $ pegboard call hello name=world",
  );
  return program;
}

/** What all commands of a program have in common. */
interface ProgramParts {
  readonly terminal: Terminal;
  readonly done: (code: number) => void;
  /** The options of every command. Made once: a start makes every command. */
  readonly shared: readonly Option[];
}

function addCommand(parent: Command, spec: CommandSpec, parts: ProgramParts): void {
  const command = parent.command(spec.name).description(spec.description);
  command
    .exitOverride()
    .configureOutput(parent.configureOutput())
    .showHelpAfterError(`(${spec.usage ?? `pegboard ${command.name()}`} --help shows how)`);
  for (const { name, description, fallback } of spec.arguments ?? []) command.argument(name, description, fallback);
  for (const { flags, description, choices, repeats } of spec.options ?? []) {
    const option = new Option(flags, description);
    if (repeats) option.argParser(list);
    command.addOption(choices ? option.choices(choices) : option);
  }
  for (const option of parts.shared) command.addOption(option);
  command.addHelpOption(HELP);
  for (const sub of spec.commands ?? []) addCommand(command, sub, parts);
  if (spec.examples) {
    command.addHelpText("after", `\nExamples:\n${spec.examples.map((example) => `  $ ${example}`).join("\n")}`);
  }
  const { load, commands = [] } = spec;
  if (!load) return;
  // A word behind a command with others below it was meant as one of those.
  if (commands.length > 0) command.allowExcessArguments();
  command.action(async () => {
    if (commands.length > 0 && command.args.length > 0) {
      const names = commands.map(({ name }) => name).join(", ");
      command.error(`error: unknown command '${visibleLine(command.args[0]!)}'\n(There are ${names})`);
    }
    const { terminal, done } = parts;
    const runCommand = await load();
    const given = command.processedArgs as readonly unknown[];
    done(await runCommand({ arguments: given, options: optionsOf(command), terminal, program: rootOf(command) }));
  });
}

function globalOptions(): readonly Option[] {
  return [
    new Option("-C, --workspace <dir>", "the workspace (default: the nearest folder upwards with a pegboard.yaml)"),
    new Option("--json", "print one JSON document and nothing else"),
    new Option("--trust", "trust the workspace for this one start"),
    new Option(
      "--approve <mode>",
      "what happens when a call asks: ask, all, none, or wait for an answer from elsewhere",
    ),
    new Option("--host-tools <file>", "also load the host tools of this YAML file (may be repeated)").argParser(list),
    new Option("--host-tools-module <file>", "also load the host tools of this module (may be repeated)").argParser(
      list,
    ),
    new Option("--strict", "fail when anything did not load, warnings included"),
    new Option("--quiet", "say nothing beside the result"),
    new Option("--no-color", "no colours"),
  ].map((option) => option.helpGroup(OF_ALL));
}

const OF_ALL = "Options of every command:";
const HELP = new Option("-h, --help", "show this help").helpGroup(OF_ALL);

function list(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

// An option may stand before or behind the command's name; what stands closer to the end counts.
function optionsOf(command: Command | null): GlobalOptions & Record<string, unknown> {
  if (!command) return {};
  const given = Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) !== "default");
  return { ...optionsOf(command.parent), ...Object.fromEntries(given) };
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command;
}

function explain(error: unknown, json: boolean, terminal: Terminal): number {
  if (error instanceof CommanderError) return explainUsage(error, json, terminal);
  const code = error instanceof PegboardError ? error.code : "internal";
  const message = messageOf(error);
  if (json) terminal.print(JSON.stringify({ error: { code, message } }));
  showFailure(terminal, { code, message });
  if (code === "internal" && error instanceof Error && process.env["PEGBOARD_DEBUG"]) terminal.warn(error.stack ?? "");
  return exitCodeOf(code);
}

/** A person was told already. */
function explainUsage({ exitCode, code, message }: CommanderError, json: boolean, terminal: Terminal): number {
  if (exitCode === 0) return EXIT.done;
  const problem = code === "commander.help" ? "No command is named: --help shows what there is" : message;
  const error = { code: "invalid_config", message: problem.replace(/^error: /, "") };
  if (json) terminal.print(JSON.stringify({ error }));
  return EXIT.usage;
}

const GRACE_MS = 50;

// A timer that keeps nothing alive fires only when something else does: a socket or an interval that a tool left open.
function endSoon(code: number): void {
  setTimeout(() => process.exit(code), GRACE_MS).unref();
}
