import type { Json } from "@pegboard/contract";
import { describe, expect, it } from "vitest";
import { readOffers } from "../../src/sources/mcp/read-offers.ts";
import { readTools } from "../../src/sources/mcp/read-tools.ts";
import { toServerOffers } from "../../src/sources/mcp/server-offers.ts";

const share = { ask: async (_method: string, params: Json) => ({ contents: [{ text: JSON.stringify(params) }] }) };
const tool = (name: string) => ({ name, inputSchema: { type: "object" } });

function offer(resources: readonly object[], prompts: readonly object[] = [], tools: readonly string[] = []) {
  const offers = { resources, prompts } as Parameters<typeof toServerOffers>[0]["offers"];
  return toServerOffers({ tools: tools.map(tool), warnings: [], offers }, { source: "lib", share });
}

describe("what a server offers besides tools", () => {
  it("is read by a tool whose name the server does not have itself", () => {
    const book = { name: "book", uri: "book://1" };
    expect(offer([book]).resources[0]!.tool).toBe("lib__read_resource");
    expect(offer([book], [], ["read_resource"]).resources[0]!.tool).toBe("lib__read_server_resource");
    expect(offer([book], [], ["read_resource", "read_server_resource"]).resources).toEqual([]);
    expect(offer([]).reader).toBeUndefined();
  });

  it("is one for each address and each name, and none of ours", () => {
    const { resources, prompts } = offer(
      [
        { name: "book", uri: "book://1" },
        { name: "book", uri: "book://2" },
        { name: "again", uri: "book://1" },
        { name: "ours", uri: "VFS:///a" },
        { name: "anything", uriTemplate: "{+uri}" },
      ],
      [{ name: "a letter" }, { name: "poem" }, { name: "poem", description: "another" }],
    );
    expect(resources.map(({ name, uri }) => [name, uri])).toEqual([
      ["book", "book://1"],
      ["book://2", "book://2"],
    ]);
    expect(prompts.map(({ name, description }) => [name, description])).toEqual([
      [expect.stringMatching(/^a_letter_[a-z0-9]{7}$/), ""],
      ["poem", ""],
    ]);
  });

  it("is asked for only where the server says it has some, and cut short where it has no end", async () => {
    const asked: string[] = [];
    const ask = async (method: string) => {
      asked.push(method);
      return { prompts: Array.from({ length: 300 }, (_, at) => ({ name: `p${at}` })), nextCursor: "more" };
    };
    expect(await readOffers({}, ask)).toEqual({ prompts: [], resources: [] });
    expect(asked).toEqual([]);
    expect((await readOffers({ prompts: {} }, ask)).prompts).toHaveLength(1_000);
    expect(asked).toHaveLength(4);
  });
});

it("a tool is left out whose header is none, however deep it stands", async () => {
  const place = { type: "string", "x-mcp-header": "A\r\nB: c" };
  const at = { type: "object", properties: { place } };
  const inputSchema = { type: "object", properties: { at } };
  const { tools, warnings } = await readTools(async () => ({ tools: [{ name: "go", inputSchema }] }));
  expect(tools).toEqual([]);
  expect(warnings[0]).toContain("no name of a header");
});
