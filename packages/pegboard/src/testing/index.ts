export { describeStore, type OpenedStore, type StoreTestRunner } from "./describe-store.ts";
export { describeTransport, type StagedDoor, type StagedScene, type TransportDoor } from "./describe-transport.ts";
export type { Approve, TransportClient, TransportResult } from "./transport-client.ts";
export { readScript } from "../models/read-script.ts";
export { scriptedModel, type ScriptedModel } from "../models/scripted.ts";
export type { Script, ScriptedTurn, Turn } from "../models/script.ts";
