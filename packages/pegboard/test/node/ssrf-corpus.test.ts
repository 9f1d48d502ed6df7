import { describe, expect, test } from "vitest";
import type { PegboardError } from "../../src/index.ts";
import { checkUrl } from "../../src/node/web/check-url.ts";
import { createFetchPage } from "../../src/node/web/fetch-page.ts";
import { type Lookup, resolveHost } from "../../src/node/web/resolve-host.ts";
import ssrf from "../corpora/ssrf.json" with { type: "json" };
import { send, serve } from "./web-server.ts";

const PUBLIC = ["93.184.216.34", "2606:2800:220:1::1"];

/** What the names of the corpus resolve to; a function answers anew each time. */
const NAMES: Readonly<Record<string, readonly string[] | ((asked: number) => readonly string[])>> = {
  "public.test": PUBLIC,
  "a-loop.test": ["127.0.0.1"],
  "aaaa-loop.test": ["::1"],
  "a-meta.test": ["169.254.169.254"],
  "cname-loop.test": ["127.0.0.1"],
  "mixed.test": ["93.184.216.34", "10.0.0.5"],
  "mixed6.test": ["93.184.216.34", "fd00::5"],
  "nat64.test": ["64:ff9b::a00:5"],
  "127.0.0.1.nip.test": ["127.0.0.1"],
  "rebind0.test": (asked) => (asked % 2 === 0 ? ["93.184.216.34"] : ["127.0.0.1"]),
  "rebind-late.test": (asked) => (asked === 0 ? ["93.184.216.34"] : ["192.168.1.1"]),
};

function createLookup(): Lookup {
  const asked = new Map<string, number>();
  return async (host) => {
    const count = asked.get(host) ?? 0;
    asked.set(host, count + 1);
    const found = NAMES[host];
    if (!found) throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
    return (typeof found === "function" ? found(count) : found).map((address) => ({
      address,
      family: address.includes(":") ? 6 : 4,
    }));
  };
}

const signal = new AbortController().signal;

/** `allow` when a connection would be made; else the code of the refusal. */
async function decide(url: string, lookup = createLookup()): Promise<string> {
  try {
    await resolveHost(checkUrl(url), lookup, signal);
    return "allow";
  } catch (error) {
    return (error as PegboardError).code;
  }
}

const [redirects, direct] = [ssrf.urls.filter(isRedirect), ssrf.urls.filter((each) => !isRedirect(each))];

function isRedirect({ url }: { readonly url: string }): boolean {
  return /^http:\/\/public\.test\/(redir|refresh)/.test(url);
}

describe("the URLs of the corpus", () => {
  test.each(direct)("$id $class: $why: $expect", async ({ url, expect: expected, alsoOk = [], repeat = 1 }) => {
    const lookup = createLookup();
    for (let count = 0; count < repeat; count++) {
      const decision = await decide(url, lookup);
      expect([expected, ...alsoOk]).toContain(decision === "allow" ? "allow" : "deny");
      if (decision !== "allow") expect(["blocked", "invalid_input"]).toContain(decision);
    }
  });

  test.each(redirects)("$id $class: $why", async ({ url, expect: expected, expect2 }) => {
    const server = await serve((request, response) => {
      const { pathname, searchParams } = new URL(request.url!, server.url);
      const to = searchParams.get("to");
      if (pathname === "/refresh")
        send(response, `<meta http-equiv="refresh" content="0; url=http://127.0.0.1/">public`);
      else if (pathname === "/end" || to === null) send(response, "public");
      else response.writeHead(302, { location: to.replace("http://public.test/end", "/end") }).end();
    });
    const fetchPage = createFetchPage(() => ({ allow: [server.host] }), createLookup());
    const page = fetchPage(url.replace("http://public.test", server.url), { signal, reads: () => true });
    const decision = await page.then(
      ({ bytes }) => Buffer.from(bytes).toString(),
      ({ code }: PegboardError) => code,
    );
    if ((expect2 ?? expected) === "allow") expect(decision).toContain("public");
    else expect(decision).toBe("blocked");
    expect(server.requests).toHaveLength(expected === "allow" ? 2 : 1);
  });

  test("none of them is left out", () => {
    expect(direct.length + redirects.length).toBe(ssrf.urls.length);
    expect(ssrf.urls.length).toBeGreaterThanOrEqual(88);
  });
});

describe("URLs that are on no list", () => {
  test.each([
    "http://0x7f000001/",
    "http://017700000001/",
    "http://127.1.1/",
    "http://0x7f.1/",
    "http://[::ffff:5db8:d822]/",
    "http://[::127.0.0.1]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b:1::1]/",
    "http://[2001:0:53aa:64c::1]/",
    "http://[2001:10::1]/",
    "http://[3fff::1]/",
    "http://[5f00::1]/",
    "http://[100::1]/",
    "http://[ff02::1]/",
    "http://[fd20:ce::254]/",
    "http://168.63.129.16/",
    "http://192.0.0.192/",
    "http://192.88.99.1/",
    "http://198.18.0.1/",
    "http://198.19.255.255/",
    "http://172.31.255.255/",
    "http://100.127.255.255/",
    "http://0.1.2.3/",
    "http://metadata.google.internal/",
    "http://printer.local./",
    "http://router.lan/",
    "http://home.arpa/",
    "http://x.home.arpa/",
    "http://a.b.svc.cluster.local/",
    "http://app.localhost/",
    "http://mixed.test/",
    "http://mixed6.test/",
    "http://nat64.test/",
    "http://rebind-late.test/",
    "https://public.test:22/",
    "http://public.test:0/",
    "http://@public.test:443@127.0.0.1/",
    "http://public.test@/",
    "//public.test/",
    "http:/\\127.0.0.1/",
    "http://127。0。0。1/",
    "http://[::1%25eth0]/",
    "view-source:http://public.test/",
    "chrome://settings",
    "jar:http://public.test!/",
    "httpx://public.test/",
    "http://xn--/",
    "http://public.test:80:80/",
  ])("%s is refused", async (url) => {
    expect(await decide(url)).toMatch(/^(blocked|invalid_input)$/);
  });

  test.each([
    "http://172.15.255.255/",
    "http://172.32.0.0/",
    "http://100.128.0.0/",
    "http://192.0.1.1/",
    "http://198.20.0.0/",
    "http://223.255.255.255/",
    "http://1.1.1.1/",
    "https://[2600::1]/",
    "https://[64:ff9b::808:808]/",
    "https://public.test:8443/a",
    " https://PUBLIC.test/ ",
    'https://public.test/a b?c="d"#e@f',
  ])("%s is allowed", async (url) => {
    expect(await decide(url)).toBe("allow");
  });

  test("a name that nobody knows is no refusal", async () => {
    expect(await decide("http://nobody.test/")).toBe("unavailable");
  });

  test("a refusal names the address and what would allow it, and no credentials", () => {
    const refusal = (url: string) => {
      try {
        checkUrl(url);
      } catch (error) {
        return (error as PegboardError).message;
      }
      return expect.unreachable();
    };
    expect(refusal("http://2130706433/")).toBe(
      "The web policy refuses http://127.0.0.1/: the address 127.0.0.1 is not public: loopback. The web tools reach only the public internet, and what web.allow in pegboard.yaml names",
    );
    expect(refusal("http://user:hunter2@public.test/")).not.toContain("hunter2");
  });
});
