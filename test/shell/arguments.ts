import type { Random } from "../log/random.ts";
import type { Profiled } from "./profiled.ts";
import type { TrialWorkspace } from "./workspace.ts";

/** Values that show what becomes of them. The first is a program on the `PATH`, one of the folder, and a file to change. */
export function valuesFor({ root, secret }: TrialWorkspace): string[] {
  return [
    "canary",
    "./canary",
    `${root}/canary`,
    "!canary",
    "|canary",
    "exec=canary",
    "ext::canary x",
    "made",
    "a.txt",
    "link",
    secret,
    `@${secret}`,
    "@a.txt",
    "http://127.0.0.1:8080/x",
    "127.0.0.1:x",
    "1",
    "false",
    "",
  ];
}

/** An option alone, with each value in each form, and as it was written before options had dashes. */
export function withOption(command: Profiled, option: string, values: readonly string[]): string[][] {
  const { words, whole, before, after } = command;
  const sign = whole || option.startsWith("--") ? "=" : "";
  const forms = [[option], ...values.flatMap((value) => [[option, value], [`${option}${sign}${value}`]])];
  const bare = /^-\w$/.test(option) ? [[...words, option.slice(1), "canary", ...before, ...after]] : [];
  return [[...words, option], ...bare, ...forms.map((form) => [...words, ...before, ...form, ...after])];
}

/** A command of random words: options alone and in bundles, values, and what else may mean something to a program. */
export function randomCommand(command: Profiled, values: readonly string[], random: Random): string[] {
  const { words, options, before, after } = command;
  const letters = options.filter((option) => /^-\w$/.test(option)).map((option) => option.slice(1));
  const bundle = () => [
    random.pick(["-", "-", ""]),
    random.pick(letters),
    random.pick(["", random.pick(letters)]),
    random.pick(["o", "O", "I", "F", "x"]),
  ];
  const word = () => {
    const kind = random.below(10);
    const option = random.pick(["--", ...options]);
    if (kind < 5) return option;
    if (kind < 6) return `${option}${option.startsWith("--") ? "=" : ""}${random.pick(values)}`;
    if (kind < 7) return letters.length > 0 ? bundle().join("") : option;
    return random.pick(kind < 8 ? [...before, ...after, "-"] : values);
  };
  return [...words, ...Array.from({ length: random.between(1, 5) }, word)];
}
