import { type GetPromptResult, ProtocolError, ProtocolErrorCode, type Server } from "@modelcontextprotocol/server";
import type { Command, Prompt, PromptMessage } from "@pegboard/contract";
import { fillCommand } from "../../core/command-prompt.ts";
import type { Session } from "../../core/session.ts";
import type { Shelf, Shelved } from "../../core/shelf.ts";
import { attendCall } from "./attend-call.ts";
import { toBareNames } from "./bare-names.ts";
import type { CallWork } from "./call-work.ts";
import type { McpSeat } from "./seat.ts";

/** Where the prompts come from that people at clients call up. */
export interface PromptShelves {
  readonly commands?: Pick<Shelf<Command>, "list"> | undefined;
  readonly prompts?: Pick<Shelf<Prompt>, "list"> | undefined;
  /** Whether they are called without the plugin that brings them, where that is clear. */
  readonly bareNames?: boolean | undefined;
}

/** What is written behind the name of a command is one argument: words are told apart by the command itself. */
const ARGUMENT = "arguments";

/** Lets a server offer prompts, and the commands of people as such. */
export function servePrompts(server: Server, seat: McpSeat, shelves: PromptShelves): void {
  const all = () => listPrompts(seat.session, shelves);
  const find = async (name: string): Promise<Prompt> => {
    const known = await all();
    const found = known.get(name);
    if (found) return found;
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no prompt named "${name}". Available: ${[...known.keys()].join(", ") || "none"}`,
    );
  };
  server.setRequestHandler("prompts/list", async () => ({
    prompts: Array.from(await all(), ([name, { description, arguments: given = [] }]) => ({
      name,
      description,
      arguments: given.map((argument) => ({ ...argument })),
    })),
  }));
  server.setRequestHandler("prompts/get", async ({ params }, context) => {
    const { name, arguments: given = {} } = params;
    const prompt = await find(name);
    const request = { method: "prompts/get", name, input: given };
    const outcome = await attendCall(server, seat, request, toWork(prompt, given), context);
    if (outcome.state === "asks") return outcome.question;
    if (outcome.state !== "over" || "failure" in outcome.result)
      throw outcome.state === "over" ? (outcome.result as Failed).failure : new Error("The prompt was not made");
    return { description: prompt.description, messages: outcome.result as GetPromptResult["messages"] };
  });
  server.setRequestHandler("completion/complete", async ({ params: { ref, argument } }) => {
    const prompt = ref.type === "ref/prompt" ? (await all()).get(ref.name) : undefined;
    const values = (await prompt?.complete?.(argument.name, argument.value)) ?? [];
    return { completion: { values: values.slice(0, MOST), total: values.length, hasMore: values.length > MOST } };
  });
}

/** The protocol has no more at once. */
const MOST = 100;

interface Failed {
  readonly failure: unknown;
}

function toWork(prompt: Prompt, given: Readonly<Record<string, string>>): CallWork<readonly PromptMessage[] | Failed> {
  return {
    tool: prompt.name,
    input: given,
    async run(call) {
      try {
        const made = await prompt.get(given, { signal: call.signal, client: call });
        return typeof made === "string" ? [{ role: "user", content: { type: "text", text: made } }] : made;
      } catch (failure) {
        return { failure };
      }
    },
  };
}

/** Everything that can be called up in a session, by the name under which clients see it. */
async function listPrompts(
  session: Session,
  { commands, prompts, bareNames = false }: PromptShelves,
): Promise<ReadonlyMap<string, Prompt>> {
  const known = [...(commands?.list() ?? []).map(toPrompt), ...(prompts?.list() ?? [])].filter(
    ({ plugin }) => plugin === undefined || !session.waitsFor(plugin),
  );
  const blocked = await Promise.all(known.map((entry) => isBlocked(session, entry)));
  const entries = known.filter((_, index) => !blocked[index]);
  const names = toBareNames(entries.map(toName));
  return new Map(
    entries.map((entry) => {
      const name = toName(entry);
      return [bareNames ? names.get(name)! : name, entry.item];
    }),
  );
}

/** What an MCP server offers is hidden where its tools would be. A person who calls it up is not asked once more. */
async function isBlocked(session: Session, entry: Shelved<Prompt>): Promise<boolean> {
  return entry.prefix !== undefined && (await session.explain(toName(entry))).decision === "blocked";
}

function toPrompt({ item: command, ...rest }: Shelved<Command>): Shelved<Prompt> {
  const { name, description, argumentHint } = command;
  const argument = {
    name: ARGUMENT,
    required: false,
    ...(argumentHint !== undefined && { description: argumentHint }),
  };
  const get: Prompt["get"] = (given) => fillCommand(command, given[ARGUMENT] ?? "");
  return { ...rest, item: { name, description, arguments: [argument], get } };
}

// Clients make a command line of it, in which a colon would mean something.
function toName({ id }: Shelved<unknown>): string {
  return id.replaceAll(":", "__");
}
