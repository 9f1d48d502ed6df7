import { symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { makePlace } from "./run.ts";

const FILES = {
  "pegboard.yaml": `version: 1
toolsets:
  filesystem: { mounts: { /: ./work, /docs: { path: ./docs, readonly: true } } }
policy: { rules: [{ toolset: filesystem, approval: preApproved }] }
`,
  "work/a.txt": "one\n",
  "docs/b.txt": "B",
  "secret.txt": "SECRET",
};

const workspace = () => makePlace(FILES, { trust: true });

describe("the file tools at the command line", () => {
  test("A1-28 tell what they wrote, with a diff", async () => {
    const place = workspace();
    const { code, stdout } = await place.run("call", "write_file", "path=/a.txt", "content=two");
    expect([code, stdout]).toEqual([
      0,
      "Modified /a.txt (3 bytes, +1 -1 lines)\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n\\ No newline at end of file\n",
    ]);
    expect(place.read("work/a.txt")).toBe("two");
  });

  test("A1-25 refuse what leaves the mounts or is read-only, with the exit code of a refusal", async () => {
    const place = workspace();
    symlinkSync(place.path("secret.txt"), place.path("work/link"));
    for (const argv of [
      ["read_file", "path=/../secret.txt"],
      ["read_file", "path=/link"],
      ["write_file", "path=/docs/b.txt", "content=X"],
      ["delete_file", "path=/docs/b.txt"],
    ]) {
      const { code, stdout, stderr } = await place.run("call", ...argv);
      expect([argv, code, stdout]).toEqual([argv, 3, ""]);
      expect(stderr).toMatch(/error \((denied|blocked)\)/);
      expect(stderr).not.toContain("SECRET");
    }
    expect(place.read("docs/b.txt")).toBe("B");
  });

  test("ask about what decides what runs although a rule allows the tools, and do not offer a rule", async () => {
    const place = workspace();
    const refused = await place.run("call", "write_file", "path=/.git/config", "content=x");
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("never changed without asking")]);
    expect(refused.stderr).not.toContain("preApproved");
    const explained = await place.run("policy", "explain", "write_file", "path=/.git/config", "content=x", "--json");
    expect(JSON.parse(explained.stdout)).toMatchObject({
      decision: "ask",
      reason: expect.stringContaining("/.git/config"),
    });
    expect((await place.run("call", "write_file", "path=/.git/config", "content=x", "--approve", "all")).code).toBe(0);
  });
});
