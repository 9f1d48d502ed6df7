import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "@pegboard/contract";
import { describe, expect, test, vi } from "vitest";
import { discoverPlugins, type FoundPlugin } from "../../../src/node/plugins/discover.ts";
import { storeSettings } from "../../../src/node/plugins/stored-settings.ts";
import { userSecrets } from "../../../src/node/secrets.ts";
import { type Folder, makeFolder } from "../workspace-folder.ts";
import { ECHO, echoTool, manifest, PLAIN, writeHome } from "./manifest-files.ts";

const SETTINGS = {
  properties: {
    token: { type: "string", secret: true, required: true },
    retries: { type: "integer", default: 3 },
    loud: { type: "boolean" },
    ratio: { type: "number" },
    mode: { type: "choice", choices: ["a", "b"], default: "a" },
    file: { type: "filepath" },
    place: { type: "directory" },
  },
};

function makePlugin(settings?: Json): Folder {
  const folder = makeFolder({
    "pegboard.yaml": `${PLAIN}${settings === undefined ? "" : `plugins: { settings: { kit: ${JSON.stringify(settings)} } }\n`}`,
    "plugins/kit/plugin.json": manifest("kit", { tools: [echoTool("t")], config: { schema: SETTINGS } }),
    "plugins/kit/echo.js": ECHO,
    "plugins/kit/notes.txt": "x",
  });
  return folder;
}

async function findPlugin(folder: Folder): Promise<FoundPlugin> {
  const place = join(folder.path, "plugins");
  const { plugins } = await discoverPlugins(place, { sandbox: () => expect.fail(), environments: "/nowhere" });
  return plugins[0]!;
}

const visible = (text: string) => !text.includes("s3cr3t-Value-0123456789");

describe("the settings of a plugin", () => {
  test("A2-13: that are missing leave the plugin there and its tools away; once they are kept, the tools come without a restart", async () => {
    const folder = makePlugin();
    const secrets = userSecrets(folder.home);
    const workspace = await folder.open({ secrets });
    expect(workspace.plugins.get("kit")).toMatchObject({ status: "failed", reason: expect.stringContaining("token") });
    expect(workspace.tools.get("kit__t")).toBeUndefined();

    await storeSettings(
      folder.home,
      await findPlugin(folder),
      { token: "s3cr3t-Value-0123456789", retries: 5 },
      secrets,
    );
    await workspace.reload();
    expect(workspace.plugins.get("kit")?.status).toBe("healthy");
    const session = workspace.open();
    const result = await session.call("kit__t");
    expect(result.ok).toBe(true);
    await session.close();

    const kept = readdirSync(folder.home, { recursive: true, encoding: "utf8" })
      .map((name) => join(folder.home, name))
      .filter((file) => statSync(file).isFile());
    expect(kept.length).toBeGreaterThan(1);
    for (const file of kept) expect(visible(readFileSync(file, "latin1")), file).toBe(true);
    expect(visible(JSON.stringify(result))).toBe(true);
    expect(visible(JSON.stringify(await Array.fromAsync(session.events())))).toBe(true);
    expect(visible(JSON.stringify(workspace.plugins.list()))).toBe(true);
  });

  test("A2-13: that are kept by another process bring the tools soon, also as the first thing that a person keeps", async () => {
    const folder = makePlugin();
    expect(existsSync(folder.home)).toBe(false);
    const workspace = await folder.open({ watch: true });
    expect(workspace.plugins.get("kit")?.status).toBe("failed");
    await storeSettings(folder.home, await findPlugin(folder), { token: "mine" }, userSecrets(folder.home));
    await vi.waitFor(() => expect(workspace.tools.get("kit__t")).toBeDefined(), { timeout: 5_000 });
  });

  test("A2-14: reach its tools as variables, with their types, and nothing else of the host does", async () => {
    process.env["HOST_SECRET"] = "x";
    try {
      const folder = makePlugin({ token: "t", loud: "yes", ratio: "0.5", file: "notes.txt", place: "." });
      const workspace = await folder.open();
      expect(workspace.plugins.get("kit")?.reason).toBeUndefined();
      const { structured } = await workspace.open().call("kit__t");
      const root = join(folder.path, "plugins/kit");
      expect((structured as { env: Json }).env).toEqual({
        PLUGIN_CONFIG_TOKEN: "t",
        PLUGIN_CONFIG_RETRIES: "3",
        PLUGIN_CONFIG_LOUD: "true",
        PLUGIN_CONFIG_RATIO: "0.5",
        PLUGIN_CONFIG_MODE: "a",
        PLUGIN_CONFIG_FILE: join(root, "notes.txt"),
        PLUGIN_CONFIG_PLACE: root,
      });
    } finally {
      delete process.env["HOST_SECRET"];
    }
  });

  test.each([
    ["a file that is not there", { file: "no.txt" }, /file \(there is no file .*no\.txt\)/],
    ["a folder in place of a file", { file: "." }, /file \(there is no file/],
    ["a folder that is not there", { place: "no" }, /place \(there is no folder/],
    ["a text in place of a number", { retries: "many" }, /retries/],
    ["what is no choice", { mode: "c" }, /mode/],
    ["what is no setting", { colour: "red" }, /colour/],
  ])("A2-14: that name %s are told with the key", async (_, settings, reason) => {
    const workspace = await makePlugin({ token: "t", ...settings }).open();
    expect(workspace.plugins.get("kit")).toMatchObject({ status: "failed", reason: expect.stringMatching(reason) });
    expect(workspace.tools.get("kit__t")).toBeUndefined();
  });

  test("A2-17: stay when the plugin is updated, and are not given to another one of its name", async () => {
    const folder = makePlugin();
    await storeSettings(folder.home, await findPlugin(folder), { token: "mine" }, userSecrets(folder.home));
    folder.write(
      "plugins/kit/plugin.json",
      manifest("kit", { version: "2.0.0", tools: [echoTool("t")], config: { schema: SETTINGS } }),
    );
    const workspace = await folder.open();
    expect(workspace.plugins.get("kit")).toMatchObject({ status: "healthy", version: "2.0.0" });

    const other = makePlugin();
    writeHome(other, "plugin-settings.json", readFileSync(join(folder.home, "plugin-settings.json"), "utf8"));
    expect((await other.open()).plugins.get("kit")?.status).toBe("failed");
  });

  test("are refused when the plugin has none of that name", async () => {
    const folder = makePlugin();
    const storing = storeSettings(folder.home, await findPlugin(folder), { tokn: "x" }, userSecrets(folder.home));
    await expect(storing).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining('no setting "tokn"'),
    });
    expect(existsSync(join(folder.home, "plugin-settings.json"))).toBe(false);
  });

  test("that are taken away leave no secret behind", async () => {
    const folder = makePlugin();
    const secrets = userSecrets(folder.home);
    await storeSettings(folder.home, await findPlugin(folder), { token: "s3cr3t-Value-0123456789" }, secrets);
    expect(secrets.list()).toHaveLength(1);
    await storeSettings(folder.home, await findPlugin(folder), { token: null }, secrets);
    expect(secrets.list()).toEqual([]);
    expect((await folder.open()).plugins.get("kit")?.status).toBe("failed");
  });

  test("A3-23: a secret one that was tampered with on disk is told, and reaches no tool", async () => {
    const folder = makePlugin();
    await storeSettings(
      folder.home,
      await findPlugin(folder),
      { token: "s3cr3t-Value-0123456789" },
      userSecrets(folder.home),
    );
    const file = join(folder.home, "secrets.json");
    const text = readFileSync(file, "utf8");
    const at = text.search(/[A-Za-z0-9+/]{24,}/) + 10;
    writeFileSync(file, `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`);
    const kit = await folder.open({ secrets: userSecrets(folder.home) }).then(
      ({ plugins }) => plugins.get("kit"),
      (error: unknown) => ({ status: "failed", reason: String(error) }),
    );
    expect(kit).toMatchObject({ status: "failed", reason: expect.stringMatching(/secret|tamper|changed|decrypt/i) });
  });
});
