import { afterAll, beforeAll, describe, test } from "vitest";
import { type Approve, describeTransport, type StagedDoor, type TransportClient } from "../../src/testing/index.ts";
import { type Connect, toConnects } from "./doors-clients.ts";
import { type DoorsPlace, openDoorsPlace } from "./doors-place.ts";

let place: DoorsPlace;
beforeAll(async () => void (place = await openDoorsPlace()));
afterAll(() => place.close());

/** A door whose clients are used again by the next test: to start a process for each would take long. */
function toDoor(connect: Connect): StagedDoor {
  const free: { client: TransportClient; person: { approve: Approve } }[] = [];
  return {
    async open() {
      place.reset();
      return {
        happened: () => place.happened(),
        hangLate: async () => place.hangLate(),
        async connect(approve) {
          const person = { approve };
          const one = free.pop() ?? { client: await connect((tool) => person.approve(tool)), person };
          one.person.approve = approve;
          return { ...one.client, close: async () => void free.push(one) };
        },
        close: async () => {},
      };
    },
  };
}

for (const [name, connect] of Object.entries(toConnects(() => place)))
  describeTransport(name, toDoor(connect), { describe, test });
