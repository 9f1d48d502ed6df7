import type {
  AgentContext,
  ClientCapabilities,
  ContentBlock,
  McpServer,
  SessionUpdate,
  StopReason,
} from "@agentclientprotocol/sdk";
import type { EndReason } from "../../core/model.ts";
import type { AnyTool } from "../../core/registry.ts";
import type { Run } from "../../core/run.ts";
import type { Session } from "../../core/session.ts";
import type { Desk } from "../desk.ts";
import type { Chats } from "../chats.ts";
import { createFamily } from "../family.ts";
import { followEvents } from "../follow.ts";
import type { Principal } from "../principal.ts";
import { type Asking, createAsking } from "./asking.ts";
import { clientFileTools } from "./client-files.ts";
import { clientTerminalTool } from "./client-terminal.ts";
import { obeyCommand, toAvailableCommands } from "./commands.ts";
import type { Mode } from "./modes.ts";
import { toPrompt } from "./prompt.ts";
import { toReplay } from "./replay.ts";
import { type HangServer, type HungServer, toHandedServer } from "./servers.ts";
import type { KnownTools } from "./tool-call.ts";
import { toStopReason } from "./stop-reason.ts";
import { createUpdates } from "./updates.ts";

/** What the seat of a session is made with. */
export interface SeatDeps {
  readonly session: Session;
  /** The folder that the client works in. */
  readonly cwd: string;
  readonly desk: Desk;
  readonly chats: Chats;
  readonly principal: Principal;
  readonly client: AgentContext;
  readonly capabilities: ClientCapabilities;
  readonly agent: string;
  readonly mode: Mode | undefined;
  realPath?(tool: AnyTool, path: string): string | undefined;
  readonly hangServer?: HangServer | undefined;
}

/** How long a session waits for the servers that it is given. */
const WAIT_MS = 10_000;

/** A session as one client has it: the tools that the client lends it, what it is set to, and what it works on. */
export class Seat implements Disposable {
  readonly session: Session;
  agent: string;
  mode: Mode | undefined;
  readonly #deps: SeatDeps;
  readonly #tools: KnownTools;
  readonly #lent: Disposable;
  readonly #servers: HungServer[] = [];
  readonly #terminals = new Map<string, string>();
  readonly #working = new Set<AbortController>();
  readonly #asking: Asking;
  readonly #use: Disposable;

  constructor(deps: SeatDeps) {
    const { session, desk, client, capabilities } = deps;
    this.#deps = deps;
    this.session = session;
    this.#use = desk.use(session);
    this.agent = deps.agent;
    this.mode = deps.mode;
    const opened = (call: string, terminalId: string) => {
      this.#terminals.set(call, terminalId);
      const content = [{ type: "terminal" as const, terminalId }];
      void this.tell({ sessionUpdate: "tool_call_update", toolCallId: call, content }).catch(() => {});
    };
    const lent = [
      ...clientFileTools(client, capabilities.fs ?? {}),
      ...(capabilities.terminal ? [clientTerminalTool({ client, opened })] : []),
    ];
    this.#lent = session.tools.registerOrReplace(lent, { source: { kind: "host", id: "client" } });
    this.#tools = {
      find: (name) => session.tools.find(name) ?? desk.runtime.tools.find(name),
      // What the client lends works on paths of the machine.
      realPath: (tool, path) => (lent.includes(tool as never) ? path : deps.realPath?.(tool, path)),
    };
    this.#asking = createAsking({ ...deps, tools: this.#tools, mode: () => this.mode });
  }

  /** Hangs the servers that the client hands over. Resolves to what is wrong with each that cannot be had. */
  async hang(servers: readonly McpServer[]): Promise<readonly string[]> {
    const { hangServer } = this.#deps;
    if (!hangServer)
      return servers.map(({ name }) => `MCP server "${name}" is left out: servers of clients are not served here`);
    const hung = servers.map((server) =>
      hangServer(this.session.tools, server.name, toHandedServer(server, this.#deps.cwd)),
    );
    this.#servers.push(...hung);
    // The tools of one that takes its time come later.
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, WAIT_MS)));
    await Promise.race([late, Promise.all(hung.map(({ ready }) => ready))]);
    clearTimeout(timer);
    return hung.flatMap(({ problem }) => problem ?? []);
  }

  /** Tells the client something about the session. Rejects when the client is gone. */
  tell(update: SessionUpdate): Promise<void> {
    return this.#deps.client.notify("session/update", { sessionId: this.session.id, update });
  }

  /** Tells the client what people can call up, as soon as it has heard of the session. */
  tellCommandsSoon(): void {
    const { commands } = this.#deps.desk.runtime;
    if (commands.list().length > 0) setTimeout(() => void this.tell(toAvailableCommands(commands)).catch(() => {}));
  }

  /** Tells the client what was said before it came. */
  async replay(): Promise<void> {
    const { desk } = this.#deps;
    // A session that was never used is not in the log.
    const saved = await desk.runtime.sessions.show(this.session.id).catch(() => undefined);
    for (const update of toReplay(saved?.messages ?? [], this.#tools)) await this.tell(update);
  }

  /** Asks the agent, and tells the client what happens until it has answered. Rejects when the run fails. */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<StopReason> {
    const { desk, chats, principal } = this.#deps;
    using _work = desk.enter(principal);
    const { text: typed, attachments } = toPrompt(blocks);
    const { text, ...given } = obeyCommand(typed, desk.runtime.commands);
    const cancelled = new AbortController();
    this.#working.add(cancelled);
    try {
      const chat = await chats.find(this.session, this.agent);
      const over = AbortSignal.any([signal, cancelled.signal]);
      const run = await chat.send(text, { ...given, attachments, signal: over });
      const reason = await this.#follow(run);
      return toStopReason(await run.result, reason);
    } finally {
      this.#working.delete(cancelled);
      this.#terminals.clear();
    }
  }

  /** Ends what the client has asked for. */
  cancel(): void {
    for (const controller of this.#working) controller.abort();
  }

  /** Takes away what the client has lent, and ends what it has asked for. The session stays. */
  [Symbol.dispose](): void {
    this.cancel();
    this.#use[Symbol.dispose]();
    this.#lent[Symbol.dispose]();
    for (const server of this.#servers) server[Symbol.dispose]();
  }

  /** Resolves to why the last turn ended. */
  async #follow(run: Run): Promise<EndReason | undefined> {
    const { session, desk } = this.#deps;
    const toUpdates = createUpdates({
      run: run.id,
      tools: this.#tools,
      terminalOf: (call) => this.#terminals.get(call),
    });
    const events = followEvents({
      session,
      read: (from, limit) => desk.runtime.store.read({ session: session.id, from, limit }),
      belongs: createFamily(run.id),
      until: run.result,
    });
    let reason: EndReason | undefined;
    for await (const event of events) {
      // A client that is gone hears nothing; its run is cancelled, and has an end.
      for (const update of toUpdates(event)) await this.tell(update).catch(() => {});
      if (event.type === "turn-end" && event.run === run.id) reason = event.data.reason;
      // Behind the call that it is about.
      if (event.type === "approval-request") this.#asking.ask(event);
      if (event.type === "approval-response") this.#asking.withdraw(event.data.id);
    }
    return reason;
  }
}
