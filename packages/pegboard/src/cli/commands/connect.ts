import { PegboardError } from "../../core/error.ts";
import { tokenFile } from "../../node/serve/token.ts";
import { writeClientFile, toClientText } from "../client-file.ts";
import { CLIENTS, type ClientFormat, type Reach, TOKEN_VARIABLE } from "../clients.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { toSettings } from "../settings.ts";
import { toLines } from "../table.ts";

/** Prints or writes what a client needs to know of this workspace. */
export async function connect(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  const [asked] = input.arguments as readonly (string | undefined)[];
  const { workspace, home } = toSettings(options);
  if (asked === undefined) return listClients(workspace.value, input);
  const client = Object.hasOwn(CLIENTS, asked) ? CLIENTS[asked] : undefined;
  if (!client)
    throw new PegboardError(
      "invalid_config",
      `The client "${asked}" is not known. Known are: ${Object.keys(CLIENTS).join(", ")}`,
    );
  const name = toName(options["name"]);
  const entry = client.entry(toReach(asked, client, workspace.value, options), name);
  if (!entry) throw new PegboardError("invalid_config", `${client.title} cannot be told of a server with --http`);
  const file = client.file(workspace.value);
  const text = toClientText(client, name, entry);
  const written = options["write"] === true;
  if (written) writeClientFile(file, client, name, entry);
  if (options.json) terminal.print(JSON.stringify({ client: asked, file, format: client.format, text, written }));
  else if (!written) terminal.print(text.trimEnd());
  terminal.note(written ? `Written to ${file}` : `For ${client.title}, in ${file}; --write writes it there`);
  if (options["http"])
    terminal.note(
      `${client.title} needs the token in its environment: export ${TOKEN_VARIABLE}="$(cat '${tokenFile(home.value)}')"`,
    );
  return EXIT.done;
}

function toReach(
  asked: string,
  { door = "mcp" }: ClientFormat,
  workspace: string,
  options: CommandInput["options"],
): Reach {
  const { http, url = "http://127.0.0.1:4747/mcp" } = options as { readonly http?: boolean; readonly url?: string };
  if (!http && options["url"] !== undefined)
    throw new PegboardError(
      "invalid_config",
      `--url is for --http alone: pegboard connect ${asked} --http --url ${url}`,
    );
  if (!http) return { command: process.execPath, args: [process.argv[1]!, door, "--workspace", workspace] };
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new PegboardError(
      "invalid_config",
      `--url must be an address such as http://127.0.0.1:4747/mcp; it is "${url}"`,
    );
  return { url };
}

function toName(given: unknown = "pegboard"): string {
  const name = String(given);
  if (/^[a-z][\w-]{0,31}$/i.test(name)) return name;
  throw new PegboardError("invalid_config", `--name must be letters, digits, "-" and "_", at most 32; it is "${name}"`);
}

function listClients(workspace: string, { options, terminal }: CommandInput): number {
  const clients = Object.entries(CLIENTS).map(([name, client]) => ({
    name,
    title: client.title,
    file: client.file(workspace),
  }));
  if (options.json) terminal.print(JSON.stringify({ clients }, null, 2));
  else {
    const rows = clients.map(({ name, title, file }) => [
      { text: name, show: (text: string) => terminal.style("bold", text) },
      { text: title },
      { text: file },
    ]);
    for (const line of toLines(rows, terminal.columns)) terminal.print(line);
  }
  return EXIT.done;
}
