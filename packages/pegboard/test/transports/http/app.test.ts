import { expect, it } from "vitest";
import { createHttpApp } from "../../../src/transports/http/app.ts";
import { createLock } from "../../../src/transports/http/lock.ts";

it("a door that fails is told to the server, and not to its client", async () => {
  const failures: unknown[] = [];
  const defect = new Error("the secret inside");
  const app = createHttpApp({
    lock: createLock({ recognise: () => ({ id: "ann" }) }),
    doors: {
      "/bad": () => {
        throw defect;
      },
    },
    health: () => ({ status: "ok", version: "1", work: 0, plugins: [] }),
    failed: (error) => void failures.push(error),
    version: "1",
  });
  const headers = { host: "localhost", authorization: "Bearer any" };
  const answer = await app.fetch(new Request("http://localhost/bad", { headers }));
  expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining("secret")]);
  expect(failures).toEqual([defect]);
});
