import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../workspace-folder.ts";
import { echoTool, manifest, PLAIN } from "./manifest-files.ts";

const BOTH = `${PLAIN}plugins:\n  enabled: [delegation, validation]\n  settings: { validation: { rubric: Short } }\n`;
const bundled = (names: readonly string[]) => names.filter((name) => name.startsWith("delegation__"));

test("a workspace has the plugins that come with Pegboard when it asks for them", async () => {
  const folder = makeFolder({ "pegboard.yaml": BOTH });
  const workspace = await folder.open();
  expect(workspace.diagnostics).toEqual([]);
  const file = join(folder.path, "pegboard.yaml");
  expect(workspace.plugins.list()).toMatchObject([
    { name: "delegation", status: "healthy", origin: { enabledBy: { file, line: 5 } } },
    { name: "validation", status: "healthy" },
  ]);
  const tools = () => bundled(workspace.tools.names());
  expect(tools()).toEqual(["delegation__delegate", "delegation__checkin"]);
  folder.write("pegboard.yaml", PLAIN);
  await workspace.reload();
  expect(tools()).toEqual([]);
});

test("a workspace that is not trusted has none of them, and lists them", async () => {
  const workspace = await makeFolder({ "pegboard.yaml": BOTH }).open({ trust: false });
  expect(bundled(workspace.tools.names())).toEqual([]);
  expect(workspace.plugins.get("delegation")).toMatchObject({
    status: "disabled",
    reason: "the workspace is not trusted",
  });
});

test("a plugin of the workspace that has the name of one of them is the one that is meant", async () => {
  const files = { "plugins/delegation/plugin.json": manifest("delegation", { tools: [echoTool("mine")] }) };
  const workspace = await makeFolder({ "pegboard.yaml": BOTH, ...files }).open();
  expect(bundled(workspace.tools.names())).toEqual(["delegation__mine"]);
});

test("a name that there is not is told with the one that is meant, also where no plugins lie", async () => {
  const config = `${PLAIN}plugins:\n  enabled: [delegatoin]\n`;
  const { diagnostics } = await makeFolder({ "pegboard.yaml": config }).open();
  expect(diagnostics).toMatchObject([{ code: "unknown_plugin", message: expect.stringContaining('"delegation"?') }]);
});
