import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CONFIG, makePlace, toolModule } from "./run.ts";
import { startServing } from "./serving.ts";

describe("pegboard serve", () => {
  it("serves the workspace to whoever has the token of the file, which is the person's alone", async () => {
    const place = makePlace({ "pegboard.yaml": CONFIG });
    const { url, token, child, ended } = await startServing(place);
    expect(token).toBe(join(place.home, "token"));
    expect(statSync(token).mode & 0o777).toBe(0o600);
    const secret = readFileSync(token, "utf8").trim();
    expect(secret).toMatch(/^[\w-]{43}$/);
    const ask = (given: string) => fetch(`${url}/v1/ping`, { headers: { authorization: `Bearer ${given}` } });
    expect([(await ask(secret)).status, (await ask("wrong")).status]).toEqual([200, 401]);
    child.kill("SIGTERM");
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(0);
    expect(stdout.trim().split("\n")).toHaveLength(1);
    expect(stderr).not.toContain(secret);
  });

  it("keeps its token, and takes away what others could read of it", async () => {
    const place = makePlace({ "pegboard.yaml": CONFIG });
    const first = await startServing(place);
    const secret = readFileSync(first.token, "utf8");
    chmodSync(first.token, 0o644);
    const second = await startServing(place);
    expect(readFileSync(second.token, "utf8")).toBe(secret);
    expect(statSync(second.token).mode & 0o777).toBe(0o600);
  });

  it("says what is wrong with a token that is none", async () => {
    const place = makePlace({ "pegboard.yaml": CONFIG });
    expect(existsSync(place.home)).toBe(false);
    await place.run("trust", "--yes");
    writeFileSync(join(place.home, "token"), "short\n");
    const { code, stderr } = await place.run("serve", "--port", "0");
    expect([code, stderr]).toEqual([2, expect.stringContaining("Delete it to have a new one made")]);
    const given = await place.runWith({ env: { PEGBOARD_TOKEN: "x" } }, "serve", "--port", "0");
    expect([given.code, given.stderr]).toEqual([2, expect.stringContaining("PEGBOARD_TOKEN holds no token")]);
  });

  it("A3-38: /health tells how each plugin of the workspace stands, also what is switched off", async () => {
    const place = makePlace(
      {
        "pegboard.yaml": `${CONFIG}plugins: { disabled: [off] }\n`,
        "plugins/well/plugin.json": '{"name":"well","version":"1.0.0","tools":[]}',
        "plugins/off/plugin.json": '{"name":"off","version":"1.0.0","tools":[]}',
        "plugins/ill/index.mjs": `export default { name: "ill", version: "1.0.0", register() { throw new Error("no key"); } };`,
      },
      { trust: true },
    );
    const server = await startServing(place);
    const health = await server.ask("/health");
    expect(health.status).toBe(200);
    const { plugins } = (await health.json()) as { plugins: { name: string }[] };
    expect(plugins.toSorted((a, b) => a.name.localeCompare(b.name))).toMatchObject([
      { name: "ill", status: "failed", reason: expect.stringContaining("no key") },
      { name: "off", status: "disabled" },
      { name: "well", status: "healthy" },
    ]);
  });

  it("A4-39: --health exits with 0 when all is well, and with 1 when no server answers", async () => {
    const place = makePlace({ "pegboard.yaml": CONFIG });
    const { port, child, ended } = await startServing(place);
    const well = await place.run("serve", "--health", "--port", String(port));
    expect([well.code, well.stdout]).toEqual([0, `http://127.0.0.1:${port}: ok\n`]);
    const told = await place.run("serve", "--health", "--port", String(port), "--json");
    expect(JSON.parse(told.stdout)).toMatchObject({ status: "ok", plugins: [] });
    const wrong = { env: { PEGBOARD_TOKEN: "x".repeat(43) } };
    expect((await place.runWith(wrong, "serve", "--health", "--port", String(port))).code).toBe(1);
    child.kill("SIGTERM");
    await ended;
    const gone = await place.run("serve", "--health", "--port", String(port));
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining("pegboard serve")]);
  });

  it("--link lets a browser in, once", async () => {
    const place = makePlace({ "pegboard.yaml": CONFIG });
    const { port } = await startServing(place);
    const { stdout } = await place.run("serve", "--link", "--port", String(port));
    const open = () => fetch(stdout.trim(), { redirect: "manual" });
    expect([(await open()).status, (await open()).status]).toEqual([303, 401]);
  });

  it("refuses what cannot be right before anything is served", async () => {
    const place = makePlace({ "pegboard.yaml": "version: 1\nserver: { host: 0.0.0.0 }\n" });
    const refused = async (...argv: string[]) => {
      const { code, stderr } = await place.run("serve", ...argv);
      return [code, stderr];
    };
    expect(await refused("--port", "0")).toEqual([2, expect.stringContaining("--allow-remote")]);
    expect(await refused("--port", "http")).toEqual([2, expect.stringContaining("0 to 65535")]);
    expect(await refused("--rate", "none")).toEqual([2, expect.stringContaining("--rate")]);
  });

  it("takes up tools that come while it runs", async () => {
    const place = makePlace({ "pegboard.yaml": CONFIG }, { trust: true });
    const { ask } = await startServing(place);
    const { session } = (await (await ask("/v1/sessions", {})).json()) as { session: string };
    place.write("tools/a.ts", toolModule({ late: `execute: () => "here"` }));
    const names = async () => {
      const { tools } = (await (await ask(`/v1/sessions/${session}/tools`)).json()) as { tools: { name: string }[] };
      return tools.map(({ name }) => name);
    };
    await expect.poll(names, { timeout: 8_000 }).toContain("late");
  });
});
