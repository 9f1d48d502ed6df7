import { describe, expect, it, onTestFinished } from "vitest";
import { createFetchHandler } from "../../../src/http.ts";
import { createRuntime, defineTool } from "../../../src/index.ts";

const echo = defineTool({
  name: "echo",
  description: "Says it again",
  input: { type: "object", properties: { text: { type: "string" } } },
  approval: "preApproved",
  execute: ({ text }) => text ?? "",
});

/** The doors of a runtime for two who know nothing of each other. */
function enter() {
  const runtime = createRuntime({ tools: [echo] });
  const names = new Map([
    ["token-of-ann", { id: "ann" }],
    ["token-of-ben", { id: "ben" }],
  ]);
  const handler = createFetchHandler(runtime, { token: (secret) => names.get(secret) });
  onTestFinished(async () => {
    await handler.close(AbortSignal.abort());
    await runtime.close();
  });
  return (who: string, path: string, body?: object, accept?: string) =>
    handler.fetch(
      new Request(`http://localhost${path}`, {
        ...(body && { method: "POST", body: JSON.stringify(body) }),
        headers: {
          authorization: `Bearer token-of-${who}`,
          "x-request-id": "one",
          ...(body && { "content-type": "application/json" }),
          ...(accept !== undefined && { accept }),
        },
      }),
    );
}

describe("what belongs to one principal", () => {
  it("A4-37: is to all others as if it did not exist, its events included", async () => {
    const ask = enter();
    const { session } = (await (await ask("ann", "/v1/sessions", {})).json()) as { session: string };
    await ask("ann", `/v1/sessions/${session}/tools/echo`, { input: { text: "of ann alone" } });
    const own = await ask("ann", `/v1/sessions/${session}/events`);
    expect([own.status, await own.text()]).toEqual([200, expect.stringContaining("of ann alone")]);
    for (const accept of ["application/json", "text/event-stream", "application/x-ndjson"]) {
      const tell = async (path: string) => {
        const answer = await ask("ben", path, undefined, accept);
        return [answer.status, (await answer.text()).replaceAll(session, "ID").replaceAll("none", "ID")];
      };
      for (const rest of ["", "/events", "/info", "/tools"]) {
        const foreign = await tell(`/v1/sessions/${session}${rest}`);
        expect(foreign[0]).toBe(404);
        expect(foreign).toEqual(await tell(`/v1/sessions/none${rest}`));
      }
    }
    expect(await (await ask("ben", "/v1/sessions")).text()).not.toContain(session);
    expect((await ask("eve", "/v1/sessions")).status).toBe(401);
  });
});
