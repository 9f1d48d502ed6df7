import { serveNativeLines } from "../../node/serve/native-lines.ts";
import type { CommandInput } from "../command.ts";
import { serveLines } from "../serve-lines.ts";

/** Serves one client of our own protocol, one JSON object a line. */
export function stdio(input: CommandInput): Promise<number> {
  return serveLines(input, ({ workspace, settings }, client) => {
    const approve = settings.approve.value;
    return serveNativeLines(workspace, { ...client, ...(approve && approve !== "ask" && { approve }) });
  });
}
