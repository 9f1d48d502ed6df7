import { describe, expect, test } from "vitest";
import { toUserParts } from "../../src/agents/attachments.ts";

const png = (data: string) => ({ name: "a.png", data });

describe("attached data", () => {
  test("of ten megabytes and more is taken as it is", async () => {
    const data = Buffer.alloc(30 * 1024 * 1024, 7).toString("base64");
    const [part] = await toUserParts([png(data)], { bytes: 30 * 1024 * 1024 });
    expect(part).toMatchObject({ type: "file", mimeType: "image/png" });
    await expect(toUserParts([png(data)], { bytes: 30 * 1024 * 1024 - 1 })).rejects.toMatchObject({
      code: "invalid_input",
    });
    const flawed = `${data.slice(0, 20_000_000)}!${data.slice(20_000_001)}`;
    await expect(toUserParts([png(flawed)], { bytes: 2 ** 30 })).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("that is text is text, whatever its letters", async () => {
    const text = "grüße €\n".repeat(100_000);
    const [part] = await toUserParts([{ name: "a.txt", data: Buffer.from(text).toString("base64") }]);
    expect(part).toEqual({ type: "text", text: `<file name="a.txt">\n${text}\n</file>` });
  });

  test.each(["", "QQ==", "QUI=", "QUJD", "a+/b"])("is base64: %j", async (data) => {
    expect(await toUserParts([png(data)])).toHaveLength(1);
  });

  test.each(["Q", "QQ", "QQ=", "=", "====", "QQ=a", "Q===", "QU JD", "QUJ\n", "a-_b", "QUJD=", "QQ==QQ=="])(
    "is not base64: %j",
    async (data) => {
      await expect(toUserParts([png(data)])).rejects.toMatchObject({
        code: "invalid_input",
        message: expect.stringContaining("not base64"),
      });
    },
  );

  test("of a data URL is refused with what would help", async () => {
    await expect(toUserParts([png("data:image/png;base64,QUJD")])).rejects.toThrow("after the comma");
  });
});

describe("attached paths", () => {
  const read = async (path: string, most: number) => Buffer.from(`${path} ${most}`).toString("base64");

  test("are read, each within what is left", async () => {
    const [first, second] = await toUserParts([{ path: "/docs/a.txt" }, { path: "/docs/b.md" }], { bytes: 100 }, read);
    expect(first).toEqual({ type: "text", text: '<file name="/docs/a.txt">\n/docs/a.txt 100\n</file>' });
    expect(second).toEqual({ type: "text", text: '<file name="/docs/b.md">\n/docs/b.md 85\n</file>' });
  });

  test("of another kind are not even read", async () => {
    let reads = 0;
    const counting = async () => String(reads++);
    for (const path of ["/etc/passwd", "/a.txt/b", "/.txt", "/a.exe", "C:\\x.y\\z"])
      await expect(toUserParts([{ path }], {}, counting)).rejects.toMatchObject({ code: "invalid_input" });
    expect(reads).toBe(0);
  });
});
