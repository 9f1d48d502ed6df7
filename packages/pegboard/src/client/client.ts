import type { Event } from "../core/event.ts";
import type { NewSession } from "../transports/native/command-types.ts";
import { type Channel, type ClientOptions, createChannel } from "./channel.ts";
import { type FollowOptions, followSession } from "./follow-session.ts";
import { createRemoteSession, type RemoteSession } from "./remote-session.ts";

/** A server of ours, from afar. */
export interface Client extends Channel {
  /** Opens a session, or with its id goes on with one. */
  open(options?: NewSession & { readonly id?: string }): Promise<RemoteSession>;
  /**
   * The events of a session from a sequence number on, then what comes, until the session is closed or the signal fires. A
   * connection that breaks is made anew, and nothing is missed.
   */
  follow(session: string, options?: FollowOptions): AsyncGenerator<Event, void, undefined>;
}

/** Makes a client. Nothing is sent yet. */
export function createClient(options: ClientOptions): Client {
  const channel = createChannel(options);
  return {
    ...channel,
    async open({ id, ...given } = {}) {
      const { session } =
        id === undefined
          ? await channel.send("session.create", given)
          : await channel.send("session.resume", {}, { session: id });
      return createRemoteSession(channel, session);
    },
    follow: (session, given) => followSession(channel, session, given),
  };
}
