import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CONFIG, makePlace, type Place, toolModule } from "./run.ts";
import { type Started, startServing } from "./serving.ts";

const DANGER = `approval: "ask", execute: ({ what }) => { appendFileSync(new URL("../done", import.meta.url), what); return what + " is gone"; }`;
const tools = (rest: string) => `import { appendFileSync } from "node:fs";\n${toolModule({ danger: rest })}`;

function makeDanger(): Place {
  return makePlace({ "pegboard.yaml": CONFIG, "tools/a.ts": tools(DANGER), done: "" }, { trust: true });
}

/** One call of the new era over HTTP; the client can be asked. */
async function call({ url, token }: Started, what: string, more: object = {}): Promise<any> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
  };
  const params = { name: "danger", arguments: { what }, _meta, ...more };
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${readFileSync(token, "utf8").trim()}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "danger",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  return response.json();
}

/** What a client hands back that was asked, with an answer. */
async function askFor(server: Started, what: string, answer = "allow once") {
  const { result } = await call(server, what);
  expect(result.resultType).toBe("input_required");
  const [key] = Object.keys(result.inputRequests);
  const inputResponses = { [key!]: { action: "accept", content: { answer } } };
  return { requestState: result.requestState as string, inputResponses };
}

async function end({ child, ended }: Started, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  await ended;
}

const REFUSED = { error: { code: -32602, message: expect.stringContaining("requestState") } };

describe("pegboard serve, started anew between a question and its answer", () => {
  it.each(["SIGTERM", "SIGKILL"] as const)("takes the answer, once, after %s", async (signal) => {
    const place = makeDanger();
    const first = await startServing(place);
    const handed = await askFor(first, "it");
    await end(first, signal);
    const second = await startServing(place);
    expect(await call(second, "other", handed)).toMatchObject(REFUSED);
    const answers = await Promise.all([call(second, "it", handed), call(second, "it", handed)]);
    expect(answers.filter(({ result }) => result?.content[0].text === "it is gone")).toHaveLength(1);
    expect(answers.filter(({ error }) => error?.code === -32602)).toHaveLength(1);
    await end(second, "SIGTERM");
    const third = await startServing(place);
    expect(await call(third, "it", handed)).toMatchObject(REFUSED);
    expect(place.read("done")).toBe("it");
    expect(statSync(join(place.home, "seal-key")).mode & 0o777).toBe(0o600);
    await end(third, "SIGTERM");
    expect((await place.run("audit", "verify")).code).toBe(0);
  });

  it("takes no for an answer", async () => {
    const place = makeDanger();
    const first = await startServing(place);
    const handed = await askFor(first, "it", "deny");
    await end(first, "SIGTERM");
    const second = await startServing(place);
    expect((await call(second, "it", handed)).result).toMatchObject({ isError: true });
    expect(await call(second, "it", handed)).toMatchObject(REFUSED);
    expect(place.read("done")).toBe("");
  });

  it("asks anew about a tool that is another now, and where somebody else has answered", async () => {
    const place = makeDanger();
    const first = await startServing(place);
    const [changed, answered] = [await askFor(first, "one"), await askFor(first, "two")];
    await end(first, "SIGTERM");
    const two = Object.keys(answered.inputResponses)[0]!.replace("approval-", "");
    expect((await place.run("approvals", "answer", two, "deny")).code).toBe(0);
    const second = await startServing(place);
    expect(await call(second, "two", answered)).toMatchObject(REFUSED);
    await end(second, "SIGTERM");
    place.write(
      "tools/a.ts",
      tools(DANGER.replace("approval:", `timeoutMs: 5_000, approval:`)).replace("The danger", "A new"),
    );
    const third = await startServing(place);
    expect(await call(third, "one", changed)).toMatchObject(REFUSED);
    expect(place.read("done")).toBe("");
  });
});
