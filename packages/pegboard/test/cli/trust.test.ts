import { expect, test } from "vitest";
import { makePlace, toolModule } from "./run.ts";

const FILES = {
  "pegboard.yaml": `version: 1
toolsets:
  mine: { module: ./lib/own.ts, tools: [one] }
policy:
  rules:
    - { tool: "mine__*", approval: preApproved }
`,
  "lib/own.ts": toolModule({ one: `execute: () => "ran"` }),
};

test("a held tool is not run without a terminal: the exit code is 4, with the command to run", async () => {
  const place = makePlace(FILES);
  const { code, stdout, stderr } = await place.run("call", "mine__one");
  expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
  expect(stderr).toContain(`pegboard trust -C ${place.folder}`);
  expect(await place.run("call", "vfs_list")).toMatchObject({ code: 0 });
  expect(await place.run("call", "mine__one", "--trust")).toMatchObject({ code: 0, stdout: "ran\n" });
});

test("trust shows what would run, records it after --yes, and a change asks again", async () => {
  const place = makePlace(FILES);
  const refused = await place.run("trust");
  expect(refused).toMatchObject({ code: 4, stdout: "", stderr: expect.stringContaining("pegboard trust --yes") });
  expect(refused.stderr).toContain(`toolset "mine" (./lib/own.ts)`);
  expect(refused.stderr).toContain(`tool mine__* (${place.path("pegboard.yaml")}:6)`);
  expect(refused.stderr).toContain("    lib/own.ts\n    pegboard.yaml");

  expect(await place.run("trust", "--yes")).toMatchObject({
    code: 0,
    stdout: `${place.folder} is trusted now, as it is\n`,
  });
  expect(await place.run("call", "mine__one")).toMatchObject({ code: 0, stdout: "ran\n" });
  expect(await place.run("trust")).toEqual({ code: 0, stdout: `${place.folder} is trusted already\n`, stderr: "" });

  place.write("lib/own.ts", toolModule({ one: `execute: () => "changed"` }));
  expect(await place.run("call", "mine__one")).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("has changed since you trusted it"),
  });
});

test("--json is the document of what was agreed to", async () => {
  const place = makePlace(FILES);
  const { code, stdout } = await place.run("trust", "--yes", "--json", "--quiet");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    workspace: place.folder,
    trusted: true,
    changed: false,
    already: false,
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    runs: [`toolset "mine" (./lib/own.ts)`],
    files: ["lib/own.ts", "pegboard.yaml"],
    allows: [`tool mine__* (${place.path("pegboard.yaml")}:6)`],
    reaches: [],
  });
});

test("a terminal is asked by itself when a call needs trust; a no leaves the exit code 4", async () => {
  const place = makePlace(FILES);
  const refused = await place.onTerminal([["Trust it? [y/N] ", "\n"]], "call", "mine__one");
  expect(refused).toMatchObject({ code: 4, stdout: expect.stringContaining(`toolset "mine" (./lib/own.ts)`) });
  const agreed = await place.onTerminal([["Trust it? [y/N] ", "y\n"]], "call", "mine__one");
  expect(agreed).toMatchObject({ code: 0, stdout: expect.stringMatching(/ran\r\n$/) });
  expect(await place.run("call", "mine__one")).toMatchObject({ code: 0, stdout: "ran\n" });
});

test("where there is no workspace there is nothing to trust", async () => {
  expect(await makePlace().run("trust", "--yes")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("pegboard init"),
  });
});

test("where the web tools would go besides the public internet is shown to whoever is asked", async () => {
  const web = `web: { allow: ["10.0.0.5:3000"], ports: [9000], proxy: env }\nweb_search: { provider: brave, url: "https://elsewhere.example/" }\n`;
  const { reaches } = JSON.parse(
    (await makePlace({ "pegboard.yaml": `version: 1\n${web}` }).run("trust", "--yes", "--json")).stdout,
  ) as { reaches: string[] };
  expect(reaches).toEqual([
    "10.0.0.5:3000",
    "port 9000 of every public host",
    "everything through the proxy env",
    "https://elsewhere.example/, with your key for brave",
  ]);
});

test("which secret a search service would get is shown to whoever is asked", async () => {
  const reach = async (search: string) => {
    const place = makePlace({ "pegboard.yaml": `version: 1\nweb_search: ${search}\n` });
    return (JSON.parse((await place.run("trust", "--yes", "--json")).stdout) as { reaches: string[] }).reaches;
  };
  expect(await reach("{ provider: brave }")).toEqual([]);
  expect(await reach("{ provider: brave, key: secret://github }")).toEqual(["brave, with secret://github"]);
  expect(await reach('{ provider: brave, url: "https://elsewhere.example/", key: secret://github }')).toEqual([
    "https://elsewhere.example/, with secret://github",
  ]);
});
