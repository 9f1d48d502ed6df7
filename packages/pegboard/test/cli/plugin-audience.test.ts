import { expect, test } from "vitest";
import { makePluginPlace } from "./plugin-place.ts";

const PLUGIN = `
const tool = (name, audience) => ({
  name, audience, description: "Says its name", schema: { type: "object" }, handler: async () => name,
});
export default {
  name: "kit",
  version: "1.0.0",
  register() {},
  tools: [tool("agents", "agent"), tool("people", "human"), tool("all", "both")],
};
`;

test("A3-41: people call what is for them on the command line, and are not offered what is for agents only", async () => {
  const place = await makePluginPlace({ "plugins/kit/index.mjs": PLUGIN });
  expect(await place.run("call", "kit__people")).toMatchObject({ code: 0, stdout: expect.stringContaining("people") });
  expect(await place.run("call", "kit__all")).toMatchObject({ code: 0, stdout: expect.stringContaining("all") });
  const offered = async (...as: string[]) => {
    const { tools } = await place.json("list", ...as);
    return (tools as { name: string }[]).flatMap(({ name }) => (name.startsWith("kit__") ? name : []));
  };
  expect(await offered()).toEqual(["kit__all", "kit__people"]);
  expect(await offered("--as", "model")).toEqual(["kit__agents", "kit__all"]);
  const refused = await place.run("call", "kit__agents");
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain("may be called only by: model");
});
