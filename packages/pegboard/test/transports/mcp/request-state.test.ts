import { describe, expect, it } from "vitest";
import { ann, ben, envelope, openStage, type Stage } from "./stage.ts";

const FORMS = { elicitation: { form: {} } };
const CALL = { name: "danger", arguments: { what: "it" } };

/** One request of the new era, over HTTP, and what came back. */
async function post(stage: Stage, params: object, principal = ann, method = "tools/call"): Promise<any> {
  const { name } = params as { name?: string };
  const request = new Request("http://localhost/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(name && { "mcp-name": name }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...envelope(FORMS), ...params } }),
  });
  const response = await stage.door.fetch(request, principal);
  return { status: response.status, ...(await response.json()) };
}

/** What a client is handed when it is to ask, and an answer that allows. */
async function ask(stage: Stage) {
  const { result } = await post(stage, CALL);
  expect(result.resultType).toBe("input_required");
  const [key] = Object.keys(result.inputRequests);
  const allow = { [key!]: { action: "accept", content: { answer: "allow once" } } };
  return { requestState: result.requestState as string, inputResponses: allow };
}

const REFUSED = { error: { code: -32602, message: expect.stringContaining("requestState") } };

describe("what a client hands back", () => {
  it("lets the very call go on, once", async () => {
    const stage = openStage();
    const answer = await ask(stage);
    const done = await post(stage, { ...CALL, ...answer });
    expect(done.result).toMatchObject({ resultType: "complete", content: [{ type: "text", text: "it is gone" }] });
    expect(await post(stage, { ...CALL, ...answer })).toMatchObject(REFUSED);
    await stage.close();
  });

  it("is good for nobody else, for no other tool and for no other input", async () => {
    const stage = openStage();
    const answer = await ask(stage);
    expect(await post(stage, { ...CALL, ...answer }, ben)).toMatchObject(REFUSED);
    expect(await post(stage, { name: "echo", arguments: { text: "x" }, ...answer })).toMatchObject(REFUSED);
    expect(await post(stage, { ...CALL, arguments: { what: "all" }, ...answer })).toMatchObject(REFUSED);
    const pending = stage.desk.sessions(ann).flatMap((session) => session.pending);
    expect(pending).toHaveLength(1);
    await stage.close();
  });

  it("is good for nothing when a bit of it is another", async () => {
    const stage = openStage();
    const { requestState, inputResponses } = await ask(stage);
    for (const at of [4, Math.floor(requestState.length / 2), requestState.length - 2]) {
      const flipped = requestState[at] === "A" ? "B" : "A";
      const changed = requestState.slice(0, at) + flipped + requestState.slice(at + 1);
      expect(await post(stage, { ...CALL, requestState: changed, inputResponses })).toMatchObject(REFUSED);
    }
    await stage.close();
  });

  it("is asked for again when there is no answer with it", async () => {
    const stage = openStage();
    const { requestState, inputResponses } = await ask(stage);
    const again = await post(stage, { ...CALL, requestState });
    expect(Object.keys(again.result.inputRequests)).toEqual(Object.keys(inputResponses));
    await stage.close();
  });
});
