import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { CONFIG, makePlace } from "./run.ts";

test.each([
  "http://127.0.0.1/",
  "http://169.254.169.254/latest/",
  "http://[::ffff:10.0.0.1]/",
  "http://user:pw@example.com/",
])("A0-29 %s is refused at the command line, by name of the policy", async (url) => {
  const place = makePlace({ "pegboard.yaml": CONFIG }, { trust: true });
  const { code, stdout } = await place.run("call", "web_fetch", `url=${url}`, "--approve", "all", "--json");
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    error: { code: "blocked", message: expect.stringContaining("web policy") },
  });
});

test("A0-30 a search without a provider names the setting at the command line", async () => {
  const place = makePlace({ "pegboard.yaml": CONFIG }, { trust: true });
  const { code, stderr } = await place.run("call", "web_search", "query=pegs", "--approve", "all");
  expect(code).toBe(1);
  expect(stderr).toContain("web_search.provider");
});

test("a page of an allowed host is printed, with its note behind it", async () => {
  const server = createServer((_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<p>Hello <b>you</b></p>"),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const place = makePlace({ "pegboard.yaml": `version: 1\nweb: { allow: ["${host}"] }\n` }, { trust: true });
  const { stdout } = await place.run("call", "web_fetch", `url=http://${host}/`, "maxLength=5", "--approve", "all");
  expect(stdout).toBe("Hello\n[cut: characters 0 to 5 of 9 are shown, 55 % of the page; read on with offset 5]\n");
});
