import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { makePlace } from "./run.ts";

const manifest = (tools: readonly object[]) =>
  JSON.stringify({ name: "kit", version: "1.0.0", tools, runtime: "node", dependencies: { file: "package.json" } });
const tool = { name: "touch", description: "d", command: "node", args: ["touch.js"] };

test("A2-01: a plugin of a workspace that is not trusted is shown with what it runs, and nothing of it runs", async () => {
  const place = makePlace({
    "pegboard.yaml": "version: 1\n",
    "plugins/kit/plugin.json": manifest([tool]),
    "plugins/kit/package.json": "{}",
    "plugins/kit/touch.js": `require("node:fs").writeFileSync("ran", ""); console.log("{}");`,
  });
  const held = await place.run("call", "kit__touch");
  expect(held).toMatchObject({ code: 4, stdout: "" });
  const { stderr } = await place.run("trust");
  expect(stderr).toContain(`plugin "kit": tool "touch" (command: ["node","touch.js"])`);
  expect(stderr).toContain(`plugin "kit": installs what package.json lists`);
  expect(stderr).toContain("    plugins/kit/touch.js");
  const { stdout } = await place.run("list", "tools", "--json");
  expect(stdout).not.toContain("kit__touch");
  expect(existsSync(place.path("plugins/kit/ran"))).toBe(false);
  expect(existsSync(place.path(".pegboard/plugin-environments"))).toBe(false);

  await place.run("trust", "--yes");
  const { tools } = JSON.parse((await place.run("list", "tools", "--json")).stdout) as {
    tools: { name: string; source: object }[];
  };
  expect(tools.find(({ name }) => name === "kit__touch")?.source).toMatchObject({
    plugin: "kit",
    version: "1.0.0",
    digest: expect.stringMatching(/^sha256:/),
    file: place.path("plugins/kit/plugin.json"),
  });
}, 30_000);
