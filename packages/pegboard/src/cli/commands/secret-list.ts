import { userSecrets } from "../../node/secrets.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { toSettings } from "../settings.ts";
import { toLines } from "../table.ts";
import { visibleLine } from "../terminal.ts";

/** Lists the secrets that there are, without their values. */
export async function secretList({ options, terminal }: CommandInput): Promise<number> {
  const secrets = userSecrets(toSettings(options).home.value).list();
  if (options.json) {
    terminal.print(JSON.stringify(secrets, null, 2));
    return EXIT.done;
  }
  const rows = secrets.map(({ name, from, redacted, problem }) => [
    { text: visibleLine(name), show: (text: string) => terminal.style("bold", text) },
    { text: visibleLine(from) },
    { text: visibleLine(problem ?? (redacted ? "redacted" : "not redacted: short, or like an ordinary word")) },
  ]);
  for (const line of toLines(rows, terminal.columns)) terminal.print(line);
  if (secrets.length === 0) terminal.note("No secret is set. Set one with: pegboard secret set <name>");
  return EXIT.done;
}
