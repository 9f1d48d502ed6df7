import { serveMcpLines } from "../../node/serve/mcp-lines.ts";
import { readSealKey } from "../../node/serve/token.ts";
import type { CommandInput } from "../command.ts";
import { serveLines } from "../serve-lines.ts";
import { toSettings } from "../settings.ts";

/** Serves one MCP client. */
export function mcp(input: CommandInput): Promise<number> {
  return serveLines(input, ({ workspace, settings }, client) => {
    const approve = settings.approve.value;
    return serveMcpLines(workspace, {
      ...client,
      sealKey: readSealKey(toSettings(input.options).home.value),
      agents: input.options["agents"] !== false,
      ...(approve && approve !== "ask" && { approve }),
    });
  });
}
