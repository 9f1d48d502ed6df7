import type { Command } from "commander";
import { PegboardError } from "../../core/error.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";

/** Prints a script that completes commands, subcommands and options. It holds them all: completing starts nothing. */
export async function completion({ arguments: [shell], terminal, program }: CommandInput): Promise<number> {
  const write = SHELLS.get(String(shell));
  if (!write)
    throw new PegboardError(
      "invalid_config",
      `There is no completion for "${String(shell)}"; there are ${[...SHELLS.keys()].join(", ")}`,
    );
  terminal.print(write(toPlaces(program, "")));
  return EXIT.done;
}

/** A place on the command line: behind which commands, and what may come there. */
interface Place {
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly { readonly flags: readonly string[]; readonly description: string }[];
}

function toPlaces(command: Command, path: string): readonly Place[] {
  const { commands, options } = command;
  return [
    {
      path,
      commands: commands.map((sub) => ({ name: sub.name(), description: sub.description() })),
      options: options.map(({ short, long, description }) => ({
        flags: [short, long].filter((flag) => flag !== undefined),
        description,
      })),
    },
    ...commands.flatMap((sub) => toPlaces(sub, `${path} ${sub.name()}`.trim())),
  ];
}

const SHELLS: ReadonlyMap<string, (places: readonly Place[]) => string> = new Map([
  ["bash", toBash],
  ["zsh", toZsh],
  ["fish", toFish],
]);

function toBash(places: readonly Place[]): string {
  return `_pegboard() {
  local word place="" current="\${COMP_WORDS[COMP_CWORD]}" words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
${findPlace(places)}
  done
${findWords(places, (words) => `words="${words}"`)}
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _pegboard pegboard`;
}

function toZsh(places: readonly Place[]): string {
  return `#compdef pegboard
_pegboard() {
  local word place=""
  for word in "\${(@)words[2,CURRENT-1]}"; do
${findPlace(places)}
  done
${findWords(places, (words) => `compadd -- ${words}`)}
  _files
}
compdef _pegboard pegboard`;
}

// Walks to the place that the words before the cursor lead to; words that are no commands lead nowhere.
function findPlace(places: readonly Place[]): string {
  const steps = places.flatMap(({ path, commands }) => commands.map(({ name }) => `"${path} ${name}"`));
  return `    case "$place $word" in\n      ${steps.join(" | ")}) place="\${place:+$place }$word" ;;\n    esac`;
}

function findWords(places: readonly Place[], use: (words: string) => string): string {
  const cases = places.map((place) => `    "${place.path}") ${use(wordsOf(place).join(" "))} ;;`);
  return `  case "$place" in\n${cases.join("\n")}\n  esac`;
}

function wordsOf({ commands, options }: Place): readonly string[] {
  return [...commands.map(({ name }) => name), ...options.flatMap(({ flags }) => flags), "--help"];
}

function toFish(places: readonly Place[]): string {
  const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  return places
    .flatMap(({ path, commands, options }) => {
      const names = path.split(" ").filter((name) => name !== "");
      const here =
        names.length === 0
          ? "__fish_use_subcommand"
          : names.map((name) => `__fish_seen_subcommand_from ${name}`).join("; and ");
      return [
        ...commands.map(
          ({ name, description }) => `complete -c pegboard -n ${quote(here)} -f -a ${name} -d ${quote(description)}`,
        ),
        ...options.map(
          ({ flags, description }) =>
            `complete -c pegboard -n ${quote(here)} ${flags.map((flag) => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`)).join(" ")} -d ${quote(description)}`,
        ),
      ];
    })
    .join("\n");
}
