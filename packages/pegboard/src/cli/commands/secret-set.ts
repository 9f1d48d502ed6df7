import { text as readAll } from "node:stream/consumers";
import { PegboardError } from "../../core/error.ts";
import { secretVariable, userSecrets } from "../../node/secrets.ts";
import { askHidden } from "../ask-hidden.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { toSettings } from "../settings.ts";

/** Keeps a secret. The value never stands on the command line, where other users and the shell's history would see it. */
export async function secretSet({ arguments: [given], options, terminal }: CommandInput): Promise<number> {
  const name = given as string;
  const secrets = userSecrets(toSettings(options).home.value);
  const { from, redacted } = await secrets.set(name, await readValue(name));
  if (!redacted)
    terminal.warn(
      `warning: "${name}" is short or like an ordinary word, so that it cannot be told from other text: it is not redacted`,
    );
  const variable = secretVariable(name);
  if (process.env[variable]) terminal.warn(`warning: ${variable} is set, and goes before it`);
  if (options.json) terminal.print(JSON.stringify({ name, from, redacted }, null, 2));
  else terminal.print(`The secret "${name}" is set: use it as secret://${name}`);
  return EXIT.done;
}

async function readValue(name: string): Promise<string> {
  if (!process.stdin.isTTY) return (await readAll(process.stdin)).replace(/\r?\n$/, "");
  const value = await askHidden(`Value of "${name}" (not shown): `);
  if (value === undefined) throw new PegboardError("cancelled", `The secret "${name}" was not set`);
  return value;
}
