import { createDecipheriv } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { secretVariable, userSecrets } from "../../src/node/index.ts";
import { makeFolder } from "./workspace-folder.ts";

const TOKEN = "tok_EXAMPLE_0123456789abcdef";
const KEY = Buffer.alloc(32, 7).toString("base64");

let root: string;
let home: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pegboard-secrets-"));
  home = join(root, "home");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const stored = () =>
  JSON.parse(readFileSync(join(home, "secrets.json"), "utf8")) as { secrets: Record<string, Record<string, string>> };
const store = (value: unknown) =>
  writeFileSync(join(home, "secrets.json"), typeof value === "string" ? value : JSON.stringify(value));

describe("the file of secrets", () => {
  test("keeps secrets encrypted, for their owner alone, from one process to the next", async () => {
    await userSecrets(home, {}).set("github", TOKEN);
    await userSecrets(home, {}).set("constructor", "ünï-cødé-1");
    expect(await userSecrets(home, {}).get("github")).toBe(TOKEN);
    expect(await userSecrets(home, {}).get("constructor")).toBe("ünï-cødé-1");
    expect(await userSecrets(home, {}).get("toString")).toBeUndefined();
    expect(readdirSync(home).sort()).toEqual(["secret.key", "secrets.json"]);
    for (const file of readdirSync(home)) {
      expect(statSync(join(home, file)).mode & 0o777).toBe(0o600);
      expect(readFileSync(join(home, file), "utf8")).not.toContain(TOKEN);
    }
    expect(statSync(home).mode & 0o777).toBe(0o700);
  });

  test("has another nonce for every writing", async () => {
    const secrets = userSecrets(home, {});
    await secrets.set("a", TOKEN);
    const before = stored().secrets["a"]!;
    await secrets.set("a", TOKEN);
    expect(stored().secrets["a"]!["nonce"]).not.toBe(before["nonce"]);
    expect(stored().secrets["a"]!["data"]).not.toBe(before["data"]);
  });

  test("is not made before there is a secret, and forgets one that is removed", async () => {
    const secrets = userSecrets(home, {});
    expect([await secrets.get("a"), secrets.list(), [...secrets.known()], await secrets.remove("a")]).toEqual([
      undefined,
      [],
      [],
      false,
    ]);
    expect(readdirSync(root)).toEqual([]);
    await secrets.set("a", TOKEN);
    expect([await secrets.remove("a"), await secrets.get("a"), secrets.list()]).toEqual([true, undefined, []]);
  });

  test("loses nothing when many write at once", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `name${index}`);
    await Promise.all(names.map((name) => userSecrets(home, {}).set(name, `${TOKEN}-${name}`)));
    const values = await Promise.all(names.map((name) => userSecrets(home, {}).get(name)));
    expect(values).toEqual(names.map((name) => `${TOKEN}-${name}`));
    expect(readdirSync(home).sort()).toEqual(["secret.key", "secrets.json"]);
  });

  test("takes over the lock of a process that is gone", async () => {
    mkdirSync(home);
    const { hostname } = await import("node:os");
    writeFileSync(join(home, "secrets.json.lock"), `${hostname()}/999999999/1`);
    await userSecrets(home, {}).set("a", TOKEN);
    expect(await userSecrets(home, {}).get("a")).toBe(TOKEN);
  });

  test("A3-23: keeps them by AES-256-GCM, bound to their names, under the key beside it", async () => {
    await userSecrets(home, {}).set("a", TOKEN);
    const [nonce, data, tag] = ["nonce", "data", "tag"].map((part) =>
      Buffer.from(stored().secrets["a"]![part]!, "base64"),
    );
    const key = Buffer.from(readFileSync(join(home, "secret.key"), "utf8").trim(), "base64");
    expect([key.length, nonce!.length, tag!.length]).toEqual([32, 12, 16]);
    const decipher = createDecipheriv("aes-256-gcm", key, nonce!).setAuthTag(tag!);
    decipher.setAAD(Buffer.from("a"));
    expect(Buffer.concat([decipher.update(data!), decipher.final()]).toString()).toBe(TOKEN);
  });

  test.each(["nonce", "data", "tag"])(
    "A3-23: tells a changed entry by its name when its %s was changed",
    async (part) => {
      const secrets = userSecrets(home, {});
      await secrets.set("good", `${TOKEN}-good`);
      await secrets.set("bad", TOKEN);
      const value = stored();
      const bytes = Buffer.from(value.secrets["bad"]![part]!, "base64");
      bytes[0]! ^= 1;
      value.secrets["bad"]![part] = bytes.toString("base64");
      store(value);
      await expect(secrets.get("bad")).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringMatching(
          /The secret "bad" in .*secrets\.json cannot be decrypted: .* Set it again with: pegboard secret set bad/,
        ),
      });
      expect(await secrets.get("good")).toBe(`${TOKEN}-good`);
      expect(secrets.list()).toMatchObject([
        { name: "bad", problem: expect.stringContaining("cannot be decrypted") },
        { name: "good", redacted: true },
      ]);
      expect(new Map(secrets.known()).get("good")).toBe(`${TOKEN}-good`);
    },
  );

  test("does not give the value of one name under another", async () => {
    const secrets = userSecrets(home, {});
    await secrets.set("a", TOKEN);
    const value = stored();
    store({ ...value, secrets: { b: value.secrets["a"], c: null, d: {} } });
    for (const name of ["b", "c", "d"])
      await expect(secrets.get(name)).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringContaining(`"${name}"`),
      });
  });

  test("can have its key in the environment, and tells when that is another one", async () => {
    await userSecrets(home, { PEGBOARD_SECRETS_KEY: KEY }).set("a", TOKEN);
    expect(readdirSync(home)).toEqual(["secrets.json"]);
    expect(await userSecrets(home, { PEGBOARD_SECRETS_KEY: KEY }).get("a")).toBe(TOKEN);
    await expect(userSecrets(home, {}).get("a")).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("its key is gone"),
    });
    await expect(
      userSecrets(home, { PEGBOARD_SECRETS_KEY: Buffer.alloc(32, 8).toString("base64") }).get("a"),
    ).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("another key than that of PEGBOARD_SECRETS_KEY"),
    });
    await expect(userSecrets(home, { PEGBOARD_SECRETS_KEY: "short" }).get("a")).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining("openssl rand -base64 32"),
    });
  });

  test.each([
    ["{", "damaged"],
    ["[]", "damaged"],
    ['{"version":1}', "damaged"],
    ['{"version":2,"secrets":{}}', "newer"],
  ])("that is %s is not written over", async (text, problem) => {
    mkdirSync(home);
    store(text);
    for (const attempt of [userSecrets(home, {}).get("a"), userSecrets(home, {}).set("a", TOKEN)]) {
      await expect(attempt).rejects.toMatchObject({
        code: "invalid_config",
        message: expect.stringContaining(problem),
      });
    }
    expect(readFileSync(join(home, "secrets.json"), "utf8")).toBe(text);
    expect([...userSecrets(home, { PEGBOARD_SECRET_B: TOKEN }).known()]).toEqual([["b", TOKEN]]);
  });

  test("that cannot be written is told as such", async () => {
    // Where a file stands in the way, not even root can make a folder.
    writeFileSync(home, "");
    await expect(userSecrets(home, {}).set("a", TOKEN)).rejects.toMatchObject({ code: "unavailable" });
  });

  test.each(["", "9a", "a b", "a.", "ä", "a/b", "__proto__", "a".repeat(65)])("refuses the name %j", async (name) => {
    await expect(userSecrets(home, {}).set(name, TOKEN)).rejects.toMatchObject({ code: "invalid_config" });
  });

  test("refuses a value that is empty or huge", async () => {
    for (const value of ["", "x".repeat(70_000)])
      await expect(userSecrets(home, {}).set("a", value)).rejects.toMatchObject({ code: "invalid_config" });
  });
});

describe("the environment", () => {
  test("goes before the file", async () => {
    const env = { PEGBOARD_SECRET_MY_API_KEY: "from-the-environment-1", PEGBOARD_SECRET_EMPTY: "", OTHER: TOKEN };
    const secrets = userSecrets(home, env);
    await secrets.set("my-api.key", TOKEN);
    expect(secretVariable("my-api.key")).toBe("PEGBOARD_SECRET_MY_API_KEY");
    expect(await secrets.get("my-api.key")).toBe("from-the-environment-1");
    expect(await secrets.get("empty")).toBeUndefined();
    expect(secrets.list()).toEqual([
      { name: "my-api.key", from: join(home, "secrets.json"), redacted: true },
      { name: "my_api_key", from: "PEGBOARD_SECRET_MY_API_KEY", redacted: true },
    ]);
  });

  test("has every secret in it known, and the file's own key too", async () => {
    const secrets = userSecrets(home, { PEGBOARD_SECRET_A: "value-of-a" });
    await secrets.set("b", TOKEN);
    const key = readFileSync(join(home, "secret.key"), "utf8").trim();
    expect(new Map(secrets.known())).toEqual(
      new Map([
        ["a", "value-of-a"],
        ["secret.key", key],
        ["b", TOKEN],
      ]),
    );
  });
});

describe("a workspace", () => {
  const MAKER = `
export function make(options) {
  if (options.key === "wrong-key-12345") throw new Error("the key " + options.key + " is refused");
  const execute = () => ({ length: options.key.length, header: options.headers.auth });
  return { show: { name: "show", description: "Shows what it was made with", input: { type: "object" }, approval: "preApproved", execute } };
}`;
  const files = {
    "maker.mjs": MAKER,
    "pegboard.yaml": `version: 1\ntoolsets:\n  own: { module: ./maker.mjs, import: make, call: [{ key: "secret://exa", headers: { auth: "Bearer secret://exa" } }] }\n`,
  };

  test("makes a toolset with the true value, which gets out nowhere", async () => {
    const folder = makeFolder(files);
    await userSecrets(folder.home, {}).set("exa", TOKEN);
    const workspace = await folder.open();
    const session = workspace.open();
    expect((await session.call("own__show")).structured).toEqual({
      length: TOKEN.length,
      header: "Bearer [secret exa]",
    });
    expect(JSON.stringify(await workspace.store.read())).not.toContain(TOKEN);
    expect(workspace.redactor.text(TOKEN)).toBe("[secret exa]");
  });

  test("reports a toolset whose secret is not set, with the command that sets it", async () => {
    const workspace = await makeFolder(files).open();
    expect(workspace.diagnostics).toMatchObject([
      {
        code: "not_loaded",
        line: 3,
        message: 'toolset "own" was not loaded: The secret "exa" is not set. Set it with: pegboard secret set exa',
      },
    ]);
  });

  test("redacts what a toolset says when it is not made", async () => {
    const folder = makeFolder(files);
    await userSecrets(folder.home, {}).set("exa", "wrong-key-12345");
    expect((await folder.open()).diagnostics).toMatchObject([
      { message: expect.stringContaining("the key [secret exa] is refused") },
    ]);
  });

  test("knows stored secrets before they are used: a tool that finds one by itself cannot tell it", async () => {
    const folder = makeFolder({
      "pegboard.yaml": "version: 1\ntoolsets: { lib: { module: ./leak.mjs, trusted: true } }\n",
      "leak.mjs": `export const leak = { name: "leak", description: "d", input: { type: "object" }, approval: "preApproved", execute: () => { throw new Error(process.env.LEAKED_FOR_TEST); } };`,
    });
    await userSecrets(folder.home, {}).set("github", TOKEN);
    process.env["LEAKED_FOR_TEST"] = `401 for ${TOKEN}`;
    const workspace = await folder.open();
    expect((await workspace.open().call("lib__leak")).error?.message).toBe("401 for [secret github]");
    expect(JSON.stringify(await workspace.store.read())).not.toContain(TOKEN);
    delete process.env["LEAKED_FOR_TEST"];
  });
});
