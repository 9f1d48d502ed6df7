import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { Command } from "@pegboard/contract";
import { fillCommand } from "../../core/command-prompt.ts";
import type { RunOptions } from "../../core/run.ts";
import type { Shelf } from "../../core/shelf.ts";

/** What a prompt comes to: its words, and what holds for its run. */
export interface CommandedPrompt extends Pick<RunOptions, "model" | "tools"> {
  readonly text: string;
}

/** What people can call up by a name. */
export function toAvailableCommands(commands: Shelf<Command>): SessionUpdate {
  return {
    sessionUpdate: "available_commands_update",
    availableCommands: commands.list().map(({ id, item: { description, argumentHint } }) => ({
      name: id,
      description,
      input: { hint: argumentHint ?? "" },
    })),
  };
}

/**
 * A prompt that begins with the name of a command is what the command says; every other one is what it is. Whoever talks
 * with an agent goes on with it, also when the command names another.
 */
export function obeyCommand(text: string, commands: Shelf<Command>): CommandedPrompt {
  const [, name = "", given = ""] = /^\/(\S+)\s*(.*)$/s.exec(text) ?? [];
  if (!commands.list().some(({ id, item }) => id === name || item.name === name)) return { text };
  const { item } = commands.find(name);
  const { model, tools } = item;
  return {
    text: fillCommand(item, given),
    ...(model !== undefined && { model }),
    ...(tools && { tools }),
  };
}
