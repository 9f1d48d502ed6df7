import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Result } from "pegboard";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import ssrf from "../../packages/pegboard/test/corpora/ssrf.json" with { type: "json" };
import { makeCertificate } from "../../packages/pegboard/test/node/make-certificate.ts";
import type { Reached } from "./internet.ts";
import { createNamespace, type Program } from "./namespace.ts";

/** Only for machines that are known not to be able to; elsewhere it must not go unnoticed. */
const leaveOut = process.env["PEGBOARD_NO_NETNS"] === "1";
if (leaveOut) console.warn("PEGBOARD_NO_NETNS=1: web_fetch is NOT tested in a network of its own");

const cleanup = new DisposableStack();
let internet: Program;
let fetcher: Program;

beforeAll(async () => {
  if (leaveOut) return;
  const folder = mkdtempSync(join(tmpdir(), "pegboard-internet-"));
  cleanup.defer(() => rmSync(folder, { recursive: true }));
  makeCertificate(folder, "public.test", "rebind2-secure.test");
  const namespace = cleanup.use(createNamespace());
  internet = namespace.start("internet.ts", { PEGBOARD_TEST_CERTIFICATE: folder });
  await internet.ask("are you there");
  fetcher = namespace.start("fetcher.ts", {
    NODE_EXTRA_CA_CERTS: join(folder, "cert.pem"),
    HTTP_PROXY: "http://10.0.0.5:3128",
    HTTPS_PROXY: "http://10.0.0.5:3128",
    NODE_USE_ENV_PROXY: "1",
  });
});

afterAll(() => cleanup.dispose());

/** Fetches a URL. What reached an address that is none of the internet's comes with the result. */
async function fetchAt(url: string): Promise<{ result: Result; reached: readonly Reached[] }> {
  const result = (await fetcher.ask(url)) as Result;
  return { result, reached: (await internet.ask("what was it")) as Reached[] };
}

describe.skipIf(leaveOut)("in a network of its own", () => {
  test.each(ssrf.urls)(
    "A0-29 $id $class: $why: $expect",
    async ({ url, expect: expected, expect2, alsoOk = [], repeat = 1 }) => {
      for (let count = 0; count < repeat; count++) {
        const { result, reached } = await fetchAt(url);
        expect(reached).toEqual([]);
        expect(JSON.stringify(result)).not.toContain("INTERNAL");
        expect([expect2 ?? expected, ...alsoOk]).toContain(result.ok ? "allow" : "deny");
        if (!result.ok) expect(["blocked", "invalid_input"]).toContain(result.error!.code);
      }
    },
  );

  test.each([
    ["a public address and a private one", "http://mixed.test/"],
    ["a private address first", "http://mixed-first.test/"],
    ["a public IPv4 address and a private IPv6 one", "http://mixed6.test/"],
    ["a public address once, then a private one", "http://rebind1.test/"],
    ["a public address and a private one in turns", "http://rebind0.test/"],
  ])("A0-29 a name with %s is refused", async (_, url) => {
    const { result, reached } = await fetchAt(url);
    expect(result).toMatchObject({ ok: false, error: { code: "blocked" } });
    expect(reached).toEqual([]);
  });

  test.each([
    ["http://rebind2.test/", "PUBLIC rebind2.test"],
    ["https://rebind2-secure.test/", "PUBLIC rebind2-secure.test"],
  ])(
    "A0-29 %s, which turns private after it was looked at, is fetched from the address that was checked",
    async (url, text) => {
      const { result, reached } = await fetchAt(url);
      expect(result).toMatchObject({ ok: true, content: [{ text }] });
      expect(reached).toEqual([]);
    },
  );

  test.each([
    "http://169.254.169.254/",
    "http://[fd00:ec2::254]/",
    "http://a-loop.test/",
    "http://mixed.test/",
    "http://rebind1.test/",
    "//127.0.0.1/",
    "https://127.0.0.1/",
    "http://public.test:25/",
    "http://public.test:6379/",
  ])("A0-29 a redirect to %s is not followed", async (to) => {
    for (const status of [301, 302, 303, 307, 308]) {
      const { result, reached } = await fetchAt(`http://public.test/redir/${status}?to=${encodeURIComponent(to)}`);
      expect(result).toMatchObject({ ok: false, error: { code: "blocked" } });
      expect(reached).toEqual([]);
    }
  });

  test("redirects within the internet are followed, also to https", async () => {
    const { result } = await fetchAt("http://public.test/redir/302?to=https%3A%2F%2Fpublic.test%2Fend");
    expect(result).toMatchObject({
      ok: true,
      content: [{ text: "PUBLIC public.test" }],
      meta: { url: "https://public.test/end" },
    });
  });

  test("would notice: a plain request to a private address arrives", async () => {
    const child = execFileSync(
      "ip",
      [
        "netns",
        "exec",
        `pegboard-${process.pid}`,
        process.execPath,
        "-e",
        `fetch("http://10.0.0.5/").then((r) => r.text()).then(console.log)`,
      ],
      { encoding: "utf8" },
    );
    expect(child).toContain("INTERNAL-LEAK");
    expect(await internet.ask("what was it")).toMatchObject([{ address: "10.0.0.5", port: 80 }]);
  });
});
