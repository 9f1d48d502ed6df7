import type { Runtime } from "../runtime.ts";
import type { StoreTestRunner } from "./describe-store.ts";
import type { Approve, Scene, TransportClient } from "./transport-client.ts";
import { createTransportStage, type TransportStage } from "./transport-stage.ts";
import { checkTools } from "./transport-tools.ts";
import { checkWork } from "./transport-work.ts";

/** A door, as the kit knocks at it. */
export interface TransportDoor {
  /** Connects a client of its own to a runtime. `approve` stands for the person whom the client asks. */
  connect(runtime: Runtime, approve: Approve): Promise<TransportClient>;
}

/** A door that brings the stage along, such as a process of its own with the same tools and the same agent. */
export interface StagedDoor {
  /** Sets the stage for one test. */
  open(): Promise<StagedScene>;
}

/** The stage of one test, and the door to it. */
export interface StagedScene extends TransportStage {
  connect(approve: Approve): Promise<TransportClient>;
  close(): Promise<void>;
}

/** The one story that every door tells, as tests. A client that has no `call` has its agent make the calls. */
export function describeTransport(name: string, door: TransportDoor | StagedDoor, runner: StoreTestRunner): void {
  function check(sentence: string, body: (scene: Scene) => Promise<void>): void {
    runner.test(sentence, async () => {
      const stage = await ("open" in door ? door.open() : toStaged(door));
      const clients: TransportClient[] = [];
      const connect = async (approve: Approve = allow) => {
        const client = await stage.connect(approve);
        clients.push(client);
        return client;
      };
      try {
        await body({ happened: () => stage.happened(), hangLate: () => stage.hangLate(), connect });
      } finally {
        for (const client of clients) await client.close();
        await stage.close();
      }
    });
  }

  runner.describe(`${name} leads to tools`, () => checkTools(check));
  runner.describe(`${name} lets a client follow what happens`, () => checkWork(check));
}

function toStaged({ connect }: TransportDoor): StagedScene {
  const { runtime, ...stage } = createTransportStage();
  return { ...stage, connect: (approve) => connect(runtime, approve), close: () => runtime.close() };
}

const allow: Approve = async () => "allow";
