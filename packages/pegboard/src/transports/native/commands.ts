import { BOARD_COMMANDS } from "./board-commands.ts";
import type { CommandsOf } from "./command.ts";
import type { CommandType } from "./command-types.ts";
import { EVENT_COMMANDS } from "./event-commands.ts";
import { INBOX_COMMANDS } from "./inbox-commands.ts";
import { protocolCommands } from "./protocol-commands.ts";
import { SESSION_COMMANDS } from "./session-commands.ts";
import { WORK_COMMANDS } from "./work-commands.ts";

/** The one table of the protocol: every edge, the OpenAPI document and the capabilities are made from it. */
export const COMMANDS: CommandsOf<CommandType> = {
  ...protocolCommands(() => COMMANDS),
  ...SESSION_COMMANDS,
  ...WORK_COMMANDS,
  ...INBOX_COMMANDS,
  ...BOARD_COMMANDS,
  ...EVENT_COMMANDS,
};

/** Whether there is a command of this type. */
export function isCommandType(type: string): type is CommandType {
  return Object.hasOwn(COMMANDS, type);
}

/** Whether a command of this type has calls or runs made. */
export function isWork(type: string): boolean {
  return isCommandType(type) && COMMANDS[type].works === true;
}
