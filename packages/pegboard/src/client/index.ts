export type { AnswerOf, ClientOptions, ParamsOf, SendOptions } from "./channel.ts";
export { type Client, createClient } from "./client.ts";
export type { FollowOptions } from "./follow-session.ts";
export { RemoteError } from "./remote-error.ts";
export type { RemoteSession, WorkOptions } from "./remote-session.ts";
export type { Event } from "../core/event.ts";
export type { Capabilities, CommandType, CommandTypes } from "../transports/native/command-types.ts";
