import { scaffoldPlugin } from "../../node/plugins/scaffold.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { toTarget, withTrust } from "../plugin-target.ts";

/** Makes a plugin with one tool, a readme and a test that runs offline. */
export async function pluginNew(input: CommandInput): Promise<number> {
  const [name] = input.arguments as [string];
  const { options, terminal } = input;
  const kind = options["kind"] === "module" ? "module" : "command";
  const target = toTarget(input);
  let made = { folder: "", files: [] as readonly string[] };
  const trusted = await withTrust(target, () => (made = scaffoldPlugin(target.store, name, kind)));
  if (options.json) {
    terminal.print(JSON.stringify({ name, kind, ...made, trusted }, null, 2));
    return EXIT.done;
  }
  const lines = [
    `Made a plugin in ${made.folder}:`,
    ...made.files.map((file) => `  ${file}`),
    ...(trusted ? [] : ["", "The workspace is not trusted. Look at it and agree with:", "  pegboard trust"]),
    "",
    "Try:",
    `  pegboard call ${name}__greet name=Ada`,
    `  pegboard plugin info ${name}`,
  ];
  terminal.print(lines.join("\n"));
  return EXIT.done;
}
