import { describe, expect, it } from "vitest";
import { readLines } from "../../../src/node/serve/read-lines.ts";

async function read(chunks: readonly (string | Uint8Array)[], longest = 100): Promise<string[]> {
  const seen: string[] = [];
  async function* input() {
    for (const chunk of chunks) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
  }
  await readLines(input(), longest, {
    line: (text) => void seen.push(text),
    broken: () => void seen.push("(broken)"),
    tooLong: () => void seen.push("(too long)"),
  });
  return seen;
}

describe("lines", () => {
  it("come whole, however they are cut", async () => {
    expect(await read(["a", "b\nc", "\n", "\n  \nd"])).toEqual(["ab", "c", "d"]);
  });

  it("may be cut inside of a character", async () => {
    const bytes = Buffer.from("ä€😀\n");
    for (let at = 0; at <= bytes.length; at++)
      expect(await read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(["ä€😀"]);
  });

  it("that are no UTF-8 are told, and the next one is read", async () => {
    expect(await read([Uint8Array.of(0xff, 0xfe, 0x0a), "a\n"])).toEqual(["(broken)", "a"]);
  });

  it("that are too long are told once, and the next one is read", async () => {
    expect(await read(["x".repeat(60), "x".repeat(60), "x".repeat(60), "x\na\n"])).toEqual(["(too long)", "a"]);
    expect(await read([`${"x".repeat(100)}\n`])).toEqual(["x".repeat(100)]);
  });

  it("wait for whoever reads them", async () => {
    const order: string[] = [];
    async function* input() {
      yield Buffer.from("a\nb\n");
    }
    await readLines(input(), 100, {
      async line(text) {
        order.push(`${text} begins`);
        await new Promise((resolve) => setTimeout(resolve, 5));
        order.push(`${text} ends`);
      },
      broken() {},
      tooLong() {},
    });
    expect(order).toEqual(["a begins", "a ends", "b begins", "b ends"]);
  });
});
