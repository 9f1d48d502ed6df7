import type { Json, Plugin } from "@pegboard/contract";
import { createPluginHost, type OwnedHost, type PluginActs } from "./plugin-host.ts";

/** What a plugin's host passes on to. */
export interface LendHostDeps {
  readonly acts: PluginActs;
  broadcast(from: string, topic: string, data: Json): void;
  /** Hears what the plugin says is wrong with itself; undefined when nothing is any more. */
  report(problem: string | undefined): void;
}

/** Makes the host of a plugin, which acts as that plugin. It may name its own agents without its name in front. */
export function lendHost({ name, agents = [] }: Plugin, settings: Json, deps: LendHostDeps): OwnedHost {
  const { acts, broadcast, report } = deps;
  return createPluginHost(name, settings, {
    call: (tool, input, signal) => acts.call(tool, input, signal),
    run: (prompt, options, signal, context) => {
      const own = agents.some((agent) => agent.name === options.agent);
      return acts.run(prompt, own ? { ...options, agent: `${name}/${options.agent}` } : options, signal, context);
    },
    broadcast: (topic, data) => broadcast(name, topic, data),
    report: (status, reason) => report(status === "healthy" ? undefined : (reason ?? "it says so itself")),
  });
}
