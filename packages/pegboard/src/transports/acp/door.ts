import {
  agent as createApp,
  type ClientCapabilities,
  type ContentBlock,
  ndJsonStream,
  PROTOCOL_VERSION,
} from "@agentclientprotocol/sdk";
import { PegboardError } from "../../core/error.ts";
import type { Principal } from "../principal.ts";
import type { AcpDoorOptions } from "./door-options.ts";
import { type Guest, Guests, optionsOf } from "./guests.ts";
import { toMode, toModeState } from "./modes.ts";
import { toRequestError } from "./request-error.ts";
import { listSessions } from "./session-list.ts";

/** A client's connection: bytes in both directions. */
export interface AcpWire {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
}

/** One client that is served. */
export interface AcpConnection {
  /** Resolves when the client is gone and what it had is closed. */
  readonly closed: Promise<void>;
  /** Hangs up at once: what goes on is cancelled. */
  close(): void;
  /** Hangs up once everything that was asked is answered, or the signal fires. */
  end(signal: AbortSignal): Promise<void>;
}

/** Serves one client. Its sessions are those of the principal; what it opens is closed when it goes. */
export function serveAcp(wire: AcpWire, principal: Principal, options: AcpDoorOptions): AcpConnection {
  const { name, version, hangServer } = options;
  const servers = hangServer !== undefined;
  let capabilities: ClientCapabilities = {};
  /** What the client waits for. */
  const open = new Set<Promise<unknown>>();

  const app = createApp({ name })
    .onRequest("initialize", ({ params }) => {
      capabilities = params.clientCapabilities ?? {};
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name, version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, embeddedContext: true },
          mcpCapabilities: { http: servers, sse: servers },
          sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {} },
        },
        authMethods: [],
      };
    })
    .onRequest("session/new", ({ params }) =>
      answer(async () => {
        const guest = await guests.open(params);
        return { sessionId: guest.seat.session.id, ...(await welcome(guest)) };
      }),
    )
    .onRequest("session/load", ({ params }) =>
      answer(async () => {
        const guest = await guests.takeUp(params.sessionId, params);
        await guest.seat.replay();
        return welcome(guest);
      }),
    )
    .onRequest("session/resume", ({ params }) =>
      answer(async () => welcome(await guests.takeUp(params.sessionId, params))),
    )
    .onRequest("session/list", ({ params: { cwd, cursor } }) =>
      answer(async () => {
        const { runtime } = await guests.deskOf(cwd);
        return listSessions(await runtime.sessions.list(), { principal: principal.id, cwd, cursor });
      }),
    )
    .onRequest("session/close", ({ params: { sessionId } }) => answer(() => guests.leave(sessionId)))
    .onRequest("session/delete", ({ params: { sessionId } }) => answer(() => guests.delete(sessionId)))
    .onRequest("session/set_mode", ({ params: { sessionId, modeId } }) =>
      answer(async () => {
        const guest = guests.find(sessionId);
        guest.seat.mode = toMode(guest.seat.mode, modeId);
        await guest.seat.tell({ sessionUpdate: "config_option_update", configOptions: await optionsOf(guest) });
        return {};
      }),
    )
    .onRequest("session/set_config_option", ({ params: { sessionId, configId, value } }) =>
      answer(async () => {
        const guest = guests.find(sessionId);
        const { seat, desk } = guest;
        if (configId === "mode") {
          seat.mode = toMode(seat.mode, value);
          await seat.tell({ sessionUpdate: "current_mode_update", currentModeId: seat.mode });
        } else if (configId === "agent") seat.agent = (await desk.runtime.agents.resolve(String(value))).name;
        else throw new PegboardError("invalid_input", `There is no option "${configId}": there are mode and agent`);
        return { configOptions: await optionsOf(guest) };
      }),
    )
    .onRequest("session/prompt", ({ params: { sessionId, prompt }, signal }) =>
      answer(() => ask(sessionId, prompt, signal)),
    )
    .onNotification("session/cancel", ({ params: { sessionId } }) => {
      try {
        guests.find(sessionId).seat.cancel();
      } catch {
        // A session that is gone has nothing to cancel, and a notification has no answer.
      }
    });

  const connection = app.connect(ndJsonStream(wire.writable, wire.readable));
  const guests = new Guests({ ...options, principal, client: connection.client, capabilities: () => capabilities });
  return {
    closed: connection.closed.then(() => guests.leaveAll()),
    close: () => connection.close(),
    async end(signal) {
      const late = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      await Promise.race([late, Promise.allSettled(open)]);
      // The last answer is written after it is made.
      await new Promise((resolve) => setTimeout(resolve));
      connection.close();
    },
  };

  async function answer<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const answered = work();
    open.add(answered);
    try {
      return await answered;
    } catch (error) {
      throw toRequestError(error);
    } finally {
      open.delete(answered);
    }
  }

  async function welcome(guest: Guest) {
    const state = { ...toModeState(guest.seat), configOptions: await optionsOf(guest) };
    guest.seat.tellCommandsSoon();
    return state;
  }

  async function ask(sessionId: string, prompt: readonly ContentBlock[], signal: AbortSignal) {
    return { stopReason: await guests.find(sessionId).seat.prompt(prompt, signal) };
  }
}
