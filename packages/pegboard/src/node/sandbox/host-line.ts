import type { PluginHost } from "@pegboard/contract";
import { PegboardError } from "../../core/error.ts";
import type { ToHost, ToPlugin } from "./plugin-protocol.ts";
import { toSentError } from "./sent-value.ts";

/**
 * Does what a plugin in a process of its own asks of its host; what it sent is not trusted. Absent is the host of a call
 * that has ended. Never rejects.
 */
export async function answerHost(
  message: ToHost,
  host: Partial<PluginHost> | undefined,
): Promise<ToPlugin | undefined> {
  switch (message.type) {
    case "report":
      host?.report?.(message.status === "healthy" ? "healthy" : "degraded", toText(message.reason));
      return undefined;
    case "broadcast":
      host?.broadcast?.(String(message.topic), message.data ?? null);
      return undefined;
    case "run": {
      const { id, prompt } = message;
      try {
        if (!host?.run) throw new PegboardError("cancelled", "The call around this run has ended");
        return { type: "ran", id, text: await host.run(String(prompt), toOptions(message.options)) };
      } catch (error) {
        return { type: "ran", id, error: toSentError(error) };
      }
    }
    default:
      return undefined;
  }
}

function toOptions(given: unknown): NonNullable<Parameters<PluginHost["run"]>[1]> {
  const { agent, model, task } = Object(given) as Readonly<Record<string, unknown>>;
  return {
    ...(typeof agent === "string" && { agent }),
    ...(typeof model === "string" && { model }),
    ...(typeof task === "string" && { task }),
  };
}

function toText(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}
