import { PegboardError } from "../../core/error.ts";
import { secretVariable, userSecrets } from "../../node/secrets.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { toSettings } from "../settings.ts";

/** Forgets a secret of the person's own file. */
export async function secretRemove({ arguments: [given], options, terminal }: CommandInput): Promise<number> {
  const name = given as string;
  const variable = secretVariable(name);
  const removed = await userSecrets(toSettings(options).home.value).remove(name);
  const inEnvironment = Boolean(process.env[variable]);
  if (!removed) {
    const where = inEnvironment ? `it is set by ${variable}: unset that` : "pegboard secret list shows what there is";
    throw new PegboardError("not_found", `No secret "${name}" is stored; ${where}`);
  }
  if (inEnvironment) terminal.warn(`warning: ${variable} is still set`);
  if (options.json) terminal.print(JSON.stringify({ name, removed }, null, 2));
  else terminal.print(`The secret "${name}" is forgotten`);
  return EXIT.done;
}
