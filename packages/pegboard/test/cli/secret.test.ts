import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makePlace, type Place, toolModule } from "./run.ts";

const TOKEN = "tok_EXAMPLE_0123456789abcdef";

/** Everything that is kept, in the workspace and in the person's folder. */
function kept(place: Place): string {
  return [place.folder, place.home]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".ts"))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

test("a secret is set from standard input, listed without its value, and removed", async () => {
  const place = makePlace();
  const set = await place.runWith({ stdin: `${TOKEN}\n` }, "secret", "set", "github");
  expect(set).toEqual({ code: 0, stdout: 'The secret "github" is set: use it as secret://github\n', stderr: "" });
  const list = await place.runWith({ env: { PEGBOARD_SECRET_EXA: "exa-key-12345" } }, "secret", "list", "--json");
  expect(JSON.parse(list.stdout)).toEqual([
    { name: "exa", from: "PEGBOARD_SECRET_EXA", redacted: true },
    { name: "github", from: join(place.home, "secrets.json"), redacted: true },
  ]);
  expect((await place.run("secret", "list")).stdout).toMatch(/^github {2}.*secrets\.json {2}redacted\n$/);
  expect(kept(place)).not.toContain(TOKEN);
  expect(await place.run("secret", "remove", "github")).toMatchObject({
    code: 0,
    stdout: 'The secret "github" is forgotten\n',
  });
  expect(await place.run("secret", "list")).toMatchObject({
    code: 0,
    stdout: "",
    stderr: "No secret is set. Set one with: pegboard secret set <name>\n",
  });
});

test("a value is asked for on a terminal, and what is typed is not shown", async () => {
  const place = makePlace();
  const { code, stdout } = await place.onTerminal([["(not shown): ", `${TOKEN}x\u007f\r`]], "secret", "set", "github");
  expect({ code, shown: stdout.includes("tok_") }).toEqual({ code: 0, shown: false });
  const show = toolModule({
    show: `approval: "preApproved", capabilities: ["secrets"], execute: ({ text }) => text === "${TOKEN}"`,
  });
  place.write("show.ts", show);
  expect(await place.run("call", "show", "text=secret://github", "--host-tools-module", "show.ts")).toMatchObject({
    code: 0,
    stdout: "true\n",
  });
  const cancelled = await place.onTerminal([["(not shown): ", "half\u0003"]], "secret", "set", "other");
  expect(cancelled.code).toBe(130);
});

test("a call gets the true value; the result, the log and the error stream do not", async () => {
  const place = makePlace(
    {
      "pegboard.yaml": "version: 1\n",
      "tools/send.ts": toolModule({
        send: `approval: "preApproved", capabilities: ["secrets"], execute: ({ to, key }, { progress }) => { progress("with " + key); setTimeout(() => { throw new Error("late " + key); }, 5); if (to === "nobody") throw new Error("401 for " + key); return { length: key.length, key }; }`,
      }),
    },
    { trust: true },
  );
  await place.runWith({ stdin: TOKEN }, "secret", "set", "github");
  const sent = await place.run("call", "send", "key=secret://github");
  expect(sent).toMatchObject({ code: 0, stderr: expect.stringContaining("with [secret github]") });
  expect(JSON.parse(sent.stdout)).toEqual({ length: TOKEN.length, key: "[secret github]" });
  const refused = await place.run("call", "send", "to=nobody", "key=secret://github", "--json");
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("401 for [secret github]") });
  const log = await place.run("log", "--json");
  expect(log.stdout).toContain("secret://github");
  for (const { stdout, stderr } of [sent, refused, log]) expect(stdout + stderr).not.toContain(TOKEN);
  expect(kept(place)).not.toContain(TOKEN);
});

test("a reference to a secret that is not set fails with the command that sets it", async () => {
  const place = makePlace({
    "show.ts": toolModule({ show: `approval: "preApproved", capabilities: ["secrets"], execute: () => 1` }),
  });
  expect(await place.run("call", "show", "key=secret://github", "--host-tools-module", "show.ts")).toEqual({
    code: 1,
    stdout: "",
    stderr: 'error (unavailable): The secret "github" is not set. Set it with: pegboard secret set github\n',
  });
});

test("a value that cannot be told from other text is kept with a warning", async () => {
  const place = makePlace();
  const { code, stderr } = await place.runWith({ stdin: "7391" }, "secret", "set", "pin");
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining('"pin" is short or like an ordinary word'),
  });
  expect((await place.run("secret", "list")).stdout).toContain("not redacted");
});

test.each([
  [["secret", "set", "9"], TOKEN, 2, "cannot name a secret"],
  [["secret", "set", "empty"], "\n", 2, "its value is empty"],
  [["secret", "remove", "nothing"], "", 1, "pegboard secret list shows what there is"],
])("%j is refused", async (argv, stdin, code, message) => {
  const place = makePlace();
  expect(await place.runWith({ stdin }, ...argv)).toMatchObject({
    code,
    stdout: "",
    stderr: expect.stringContaining(message),
  });
});

test("a variable of the environment goes before what is stored, and that is said", async () => {
  const place = makePlace();
  const env = { PEGBOARD_SECRET_GITHUB: "from-the-environment-1" };
  expect(await place.runWith({ env, stdin: TOKEN }, "secret", "set", "github")).toMatchObject({
    code: 0,
    stderr: "warning: PEGBOARD_SECRET_GITHUB is set, and goes before it\n",
  });
  expect(await place.runWith({ env }, "secret", "remove", "github")).toMatchObject({
    code: 0,
    stderr: "warning: PEGBOARD_SECRET_GITHUB is still set\n",
  });
  expect(await place.runWith({ env }, "secret", "remove", "github")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("it is set by PEGBOARD_SECRET_GITHUB: unset that"),
  });
});
