import type { AgentContext, ClientCapabilities, McpServer, SessionConfigOption } from "@agentclientprotocol/sdk";
import { PegboardError } from "../../core/error.ts";
import type { Session } from "../../core/session.ts";
import type { Desk } from "../desk.ts";
import { type Chats, createChats } from "../chats.ts";
import type { Principal } from "../principal.ts";
import type { AcpDoorOptions } from "./door-options.ts";
import { toConfigOptions } from "./modes.ts";
import { Seat } from "./seat.ts";

/** A session that a client has, with the desk that it is from. */
export interface Guest {
  readonly desk: Desk;
  readonly seat: Seat;
  /** Whether the session was opened for this client, and goes with it. */
  readonly own: boolean;
}

/** What the guests of one client are made with. */
export interface GuestsDeps extends AcpDoorOptions {
  readonly principal: Principal;
  readonly client: AgentContext;
  /** What the client has said that it can do. */
  capabilities(): ClientCapabilities;
}

/** How a client asks for a session. */
export interface SeatRequest {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[];
}

/** The sessions that one client has. All of it rejects with `not_found` for a session that the client cannot have. */
export class Guests {
  readonly #deps: GuestsDeps;
  readonly #guests = new Map<string, Guest>();
  readonly #chats = new WeakMap<Desk, Chats>();
  #gone = false;

  constructor(deps: GuestsDeps) {
    this.#deps = deps;
  }

  /** Opens a session. */
  async open(request: SeatRequest): Promise<Guest> {
    const { cwd } = request;
    const desk = await this.deskOf(cwd);
    return this.#sit(desk, desk.open(this.#deps.principal, { cwd }), true, request);
  }

  /** Goes on with a session, one of the log or one that is open. */
  async takeUp(id: string, request: SeatRequest): Promise<Guest> {
    const { cwd } = request;
    const { principal } = this.#deps;
    const before = this.#guests.get(id);
    const desk = before?.desk ?? (await this.deskOf(cwd));
    const own = before?.own ?? !desk.sessions(principal).some((session) => session.id === id);
    return this.#sit(desk, await desk.find(principal, id, { cwd }), own, request);
  }

  /** A session that the client has. */
  find(id: string): Guest {
    const guest = this.#guests.get(id);
    if (guest && !guest.seat.session.closing) return guest;
    throw noSession(id);
  }

  /** Gives a session back: what was opened for the client is closed, what it has lent is gone. */
  async leave(id: string): Promise<void> {
    const { desk, seat, own } = this.find(id);
    this.#guests.delete(id);
    seat[Symbol.dispose]();
    if (own) await desk.leave(this.#deps.principal, id);
  }

  /** The client is gone: gives all of them back. Never rejects. */
  async leaveAll(): Promise<void> {
    this.#gone = true;
    await Promise.allSettled([...this.#guests.keys()].map((id) => this.leave(id)));
  }

  /** Takes a session out of the log. */
  async delete(id: string): Promise<void> {
    const { principal, desk: deskOf } = this.#deps;
    const desk = this.#guests.get(id)?.desk ?? (await deskOf());
    const saved = await desk.runtime.sessions.show(id).catch(() => undefined);
    const found = saved?.session === id && saved.principal === principal.id;
    if (this.#guests.has(id)) await this.leave(id);
    else if (!found) throw noSession(id);
    if (found) await desk.runtime.sessions.delete(id);
  }

  /** The desk for a folder, or without one that of the door. Rejects with `invalid_input` for a path that is not absolute. */
  async deskOf(cwd: string | null | undefined): Promise<Desk> {
    if (cwd === null || cwd === undefined) return this.#deps.desk();
    if (/^([/\\]|[A-Za-z]:[/\\])/.test(cwd)) return this.#deps.desk(cwd);
    throw new PegboardError("invalid_input", `cwd must be an absolute path, it is "${cwd}"`);
  }

  async #sit(desk: Desk, session: Session, own: boolean, { cwd, mcpServers = [] }: SeatRequest): Promise<Guest> {
    this.#guests.get(session.id)?.seat[Symbol.dispose]();
    const {
      principal,
      client,
      capabilities,
      agent = "assistant",
      asks = true,
      hangServer,
      realPath,
      warn,
    } = this.#deps;
    const chats = this.#chats.get(desk) ?? createChats(desk.runtime);
    this.#chats.set(desk, chats);
    const seat = new Seat({
      session,
      cwd,
      desk,
      chats,
      principal,
      client,
      capabilities: capabilities(),
      agent,
      mode: asks ? "ask" : undefined,
      hangServer,
      ...(realPath && { realPath }),
    });
    const guest = { desk, seat, own };
    this.#guests.set(session.id, guest);
    for (const problem of await seat.hang(mcpServers)) warn?.(problem);
    // It may have gone while its session was looked for.
    if (this.#gone) await this.leave(session.id).catch(() => {});
    return guest;
  }
}

/** What of a session the client can choose. */
export async function optionsOf({ desk, seat }: Guest): Promise<SessionConfigOption[]> {
  return toConfigOptions(seat, await desk.runtime.agents.list());
}

function noSession(id: string): PegboardError {
  return new PegboardError("not_found", `There is no session "${id}"`);
}
