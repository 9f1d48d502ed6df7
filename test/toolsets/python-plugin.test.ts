import { join } from "node:path";
import { expect, test } from "vitest";
import { manifest, PLAIN } from "../../packages/pegboard/test/node/plugins/manifest-files.ts";
import { makeFolder } from "../../packages/pegboard/test/node/workspace-folder.ts";

test("the dependencies of a plugin for Python are in a virtual environment whose Python runs the tools", async () => {
  const folder = makeFolder({
    "pegboard.yaml": PLAIN,
    "plugins/py/plugin.json": manifest("py", {
      tools: [{ name: "t", description: "d", command: "python3", args: ["t.py"] }],
      runtime: "python3",
      dependencies: { file: "requirements.txt" },
    }),
    "plugins/py/requirements.txt": "# nothing\n",
    "plugins/py/t.py": "import json, sys\nprint(json.dumps({'data': sys.prefix}))\n",
  });
  const workspace = await folder.open();
  expect(workspace.plugins.get("py")?.reason).toBeUndefined();
  expect(await workspace.open().call("py__t")).toMatchObject({
    ok: true,
    content: [{ text: join(folder.path, ".pegboard/plugin-environments/py") }],
  });
}, 60_000);
