import { expect, test } from "vitest";
import { readScript } from "../../src/models/read-script.ts";
import { scriptedModel } from "../../src/models/scripted.ts";
import { collect, failureOf } from "./collect.ts";

test("a script is YAML or JSON: a list, turns, or scripts", async () => {
  const turns = [{ calls: [{ tool: "add", input: { a: 1 } }] }, "3"];
  expect(await readScript("- calls: [{ tool: add, input: { a: 1 } }]\n- '3'\n", "a.yaml")).toEqual(turns);
  expect(await readScript(JSON.stringify({ turns }), "a.json")).toEqual({ turns });
  const scripts = [{ when: { system: "critic" }, turns: ["Bad"] }, { turns }];
  expect(await readScript(JSON.stringify({ scripts }), "a.json")).toEqual({ scripts });
});

test("all that a turn can say is read, and played", async () => {
  const script = await readScript(
    `turns:
  - error: { status: 503, retryAfter: 1s, message: down }
  - { cut: true, text: "Good mor" }
  - text: Good morning
    reasoning: Polite
    calls: [{ tool: now, raw: "{", id: c1 }]
    delay: 1ms
    usage: { input: 1, output: 2, cached: 1, written: 0, reasoning: 1 }
    reason: length
    expect: Hello
`,
    "a.yaml",
  );
  const model = scriptedModel(script);
  const request = {
    system: "",
    tools: [],
    messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
  } as const;
  expect(await failureOf(collect(model, request))).toMatchObject({ details: { status: 503, retryAfterMs: 1_000 } });
  expect(await collect(model, request)).toHaveLength(1);
  expect(await collect(model, request)).toHaveLength(4);
});

test("what is wrong is told with its line, all of it", async () => {
  const wrong = async (text: string) => {
    const { code, message } = await failureOf(readScript(text, "demo.yaml"));
    expect(code).toBe("invalid_config");
    return message.split("\n");
  };
  const lines = await wrong(`turns:
  - text: Hi
  - txt: Hello
  - calls:
      - input: {}
  - error: { status: 200 }
    delay: soon
`);
  expect(lines).toEqual([
    expect.stringMatching(/^demo\.yaml:3:5: \/turns\/1: .*txt/),
    expect.stringMatching(/^demo\.yaml:5:9: \/turns\/2\/calls\/0.*tool/),
    expect.stringMatching(/^demo\.yaml:6:14: \/turns\/3\/error\/status/),
    expect.stringMatching(/^demo\.yaml:7:5: \/turns\/3\/delay/),
  ]);
  expect((await wrong("turns: [\n"))[0]).toMatch(/^demo\.yaml:2:1: /);
  for (const neither of ["", "Hello", "{}", "turns: []\nscripts: []\n"])
    expect(await wrong(neither)).toEqual(["demo.yaml:1: a script is a list of turns, or has either turns or scripts"]);
  expect((await wrong("turns: 3"))[0]).toBe("demo.yaml:1:1: /turns: must be array, is number");
  expect((await wrong("- text: Hi\n- {}\n"))[0]).toMatch(/^demo\.yaml:2:3: \/1/);
});
