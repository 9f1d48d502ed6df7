import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import corpus from "../../corpora/jsonrpc.json" with { type: "json" };
import { type Asked, JSON_BODY, serveForTest } from "./serving.ts";

interface Case {
  readonly id: string;
  readonly name: string;
  readonly req: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly rawBody?: string;
    readonly gzipZeros?: number;
    readonly manyHeaders?: number;
  };
  readonly status: readonly number[];
  readonly code?: number;
  readonly rssMiB?: number;
}

const MIB = 1024 * 1024;

function toAsked({ method, headers, body, rawBody, gzipZeros, manyHeaders = 0 }: Case["req"], port: number): Asked {
  const more = Object.fromEntries(Array.from({ length: manyHeaders }, (_, index) => [`x-many-${index}`, "1234"]));
  const filled = Object.entries(headers).map(([name, value]) => [name, value.replace("{{PORT}}", String(port))]);
  return {
    method,
    headers: { ...more, ...(Object.fromEntries(filled) as Record<string, string>) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(rawBody !== undefined && { body: rawBody }),
    ...(gzipZeros !== undefined && { body: gzipSync(Buffer.alloc(gzipZeros)) }),
  };
}

describe("requests that are wrong", () => {
  it.for((corpus as unknown as { http: readonly Case[] }).http.map((one) => [`${one.id} ${one.name}`, one] as const))(
    "%s is refused as it should be, and the server lives on",
    async ([, { req, status, code, rssMiB }]) => {
      const server = await serveForTest();
      const asked = toAsked(req, server.port);
      const before = process.memoryUsage().rss;
      const answer = await server.ask("/mcp", asked);
      expect(status).toContain(answer.status);
      if (code !== undefined) expect(JSON.parse(answer.body)).toMatchObject({ error: { code } });
      if (rssMiB !== undefined) expect(process.memoryUsage().rss - before).toBeLessThan(rssMiB * MIB);
      expect((await server.ask("/health")).status).toBe(200);
      expect((await server.ask("/mcp", { ...asked, token: undefined })).status).toBeGreaterThanOrEqual(400);
    },
  );

  it("a body that names no length is measured as it comes", async () => {
    const server = await serveForTest();
    const chunk = Buffer.alloc(33 * MIB, " ");
    const headers = { ...JSON_BODY, "transfer-encoding": "chunked" };
    const answer = await server.ask("/v1/sessions", { method: "POST", headers, body: chunk }).catch(() => undefined);
    expect(answer?.status ?? 413).toBe(413);
    expect((await server.ask("/health")).status).toBe(200);
  });
});
