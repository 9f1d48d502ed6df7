import type { Runtime } from "../runtime.ts";
import type { StoreTestRunner } from "./describe-store.ts";
import type { Approve, Scene, TransportClient } from "./transport-client.ts";
import { createTransportStage } from "./transport-stage.ts";
import { checkTools } from "./transport-tools.ts";
import { checkWork } from "./transport-work.ts";

/** A door, as the kit knocks at it. */
export interface TransportDoor {
  /** Connects a client of its own to a runtime. `approve` stands for the person whom the client asks. */
  connect(runtime: Runtime, approve: Approve): Promise<TransportClient>;
}

/** The one story that every door tells, as tests. A client that has no `call` has its agent make the calls. */
export function describeTransport(name: string, door: TransportDoor, runner: StoreTestRunner): void {
  function check(sentence: string, body: (scene: Scene) => Promise<void>): void {
    runner.test(sentence, async () => {
      const stage = createTransportStage();
      const clients: TransportClient[] = [];
      const connect = async (approve: Approve = allow) => {
        const client = await door.connect(stage.runtime, approve);
        clients.push(client);
        return client;
      };
      try {
        await body({ ...stage, connect });
      } finally {
        for (const client of clients) await client.close();
        await stage.runtime.close();
      }
    });
  }

  runner.describe(`${name} leads to tools`, () => checkTools(check));
  runner.describe(`${name} lets a client follow what happens`, () => checkWork(check));
}

const allow: Approve = async () => "allow";
