import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { holdsCredential, withoutCredentials } from "../../src/core/credential.ts";
import { createRedactor } from "../../src/core/redact.ts";
import { formsOf, isRedactable } from "../../src/core/secret-forms.ts";

const TOKEN = "tok_EXAMPLE_0123456789abcdef";
/** Has something that every encoding escapes. */
const AWKWARD = 'p"q\\r/s t+u&ü%ÿ?~!';

function knowing(secrets: Readonly<Record<string, string>>) {
  const redactor = createRedactor();
  for (const [name, value] of Object.entries(secrets)) redactor.add(name, value);
  return redactor;
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("a redactor", () => {
  test.each([
    ["as it is", (value: string) => value],
    ["as JSON", (value: string) => JSON.stringify(value)],
    ["as JSON inside of JSON", (value: string) => JSON.stringify(JSON.stringify({ value }))],
    ["as JSON with slashes escaped", (value: string) => JSON.stringify(value).replaceAll("/", "\\/")],
    ["as a component of a URL", (value: string) => `?q=${encodeURIComponent(value)}&r=1`],
    [
      "as a component of a URL in small letters",
      (value: string) => encodeURIComponent(value).replaceAll(/%../g, (code) => code.toLowerCase()),
    ],
    ["as a field of a form", (value: string) => `a=1&${new URLSearchParams({ value })}`],
    [
      "as the password of a URL",
      (value: string) => Object.assign(new URL("https://user@host.test/x"), { password: value }).href,
    ],
    ["as hexadecimal digits", (value: string) => `0x${Buffer.from(value).toString("hex")}`],
    ["as capital hexadecimal digits", (value: string) => Buffer.from(value).toString("hex").toUpperCase()],
    ["as base64", (value: string) => base64(value)],
    ["as base64url", (value: string) => Buffer.from(value).toString("base64url")],
    ["inside of base64, one byte in", (value: string) => base64(`u${value}!`)],
    ["inside of base64, two bytes in", (value: string) => base64(`u:${value}`)],
    ["inside of base64, three bytes in", (value: string) => base64(`us:${value}, and more`)],
    ["inside of base64url, one byte in", (value: string) => Buffer.from(`?${value}?`).toString("base64url")],
  ])("finds a secret %s", (_, encode) => {
    for (const value of [TOKEN, AWKWARD]) {
      const written = `before ${encode(value)} after`;
      const redacted = knowing({ it: value }).text(written);
      expect(redacted).toMatch(/^before .*\[secret it\].* after$/);
      for (const form of formsOf(value)) expect(redacted).not.toContain(form);
    }
  });

  test("leaves the text around a secret, and a text without one, as it is", () => {
    const redactor = knowing({ one: TOKEN });
    expect(redactor.text(`a ${TOKEN} b ${TOKEN}${TOKEN}`)).toBe("a [secret one] b [secret one][secret one]");
    expect(redactor.text("nothing of tok_EXAMPLE_0123456789abcde here")).toBe(
      "nothing of tok_EXAMPLE_0123456789abcde here",
    );
  });

  test("knows nothing at first and returns what it is given", () => {
    const value = { a: [TOKEN] };
    expect(createRedactor().json(value)).toBe(value);
    expect(createRedactor().text(TOKEN)).toBe(TOKEN);
    const stream = createRedactor().stream();
    expect([stream.write(TOKEN), stream.end()]).toEqual([TOKEN, ""]);
  });

  test("goes over every text and key of a JSON value, and shares what holds no secret", () => {
    const redactor = knowing({ it: TOKEN });
    const clean = { b: [1, "two", null] };
    const redacted = redactor.json({ clean, list: [`x ${TOKEN}`, 5], [TOKEN]: true });
    expect(redacted).toEqual({ clean, list: ["x [secret it]", 5], "[secret it]": true });
    expect(redacted.clean).toBe(clean);
    expect(redactor.json(clean)).toBe(clean);
  });

  test("takes the longer of two secrets that begin alike, and all of two that overlap", () => {
    const redactor = knowing({ short: "abcdefgh1", long: "abcdefgh12345678", next: "5678ijklmnop" });
    expect(redactor.text("<abcdefgh12345678>")).toBe("<[secret long]>");
    expect(redactor.text("<abcdefgh1x>")).toBe("<[secret short]x>");
    expect(redactor.text("<abcdefgh12345678ijklmnop>")).toBe("<[secret long]>");
  });

  test("keeps looking for a value that was replaced by another", () => {
    const redactor = knowing({ key: TOKEN });
    redactor.add("key", "another-value-42");
    expect(redactor.text(`${TOKEN} another-value-42`)).toBe("[secret key] [secret key]");
  });

  test("finds single lines of a private key", () => {
    const lines = [
      "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7",
      "VJTUt9Us8cKjMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDu",
    ];
    const redactor = knowing({ pem: `-----BEGIN PRIVATE KEY-----\n${lines.join("\n")}\n-----END PRIVATE KEY-----\n` });
    expect(redactor.text(`${lines[1]}\nnext`)).toBe("[secret pem]\nnext");
    expect(redactor.text("-----BEGIN PRIVATE KEY-----")).toBe("-----BEGIN PRIVATE KEY-----");
  });

  test("takes a time that grows with the text alone, also where every place is nearly a secret", () => {
    const redactor = knowing({ periodic: `${"a".repeat(20_000)}b` });
    const text = "a".repeat(2_000_000);
    const started = performance.now();
    expect(redactor.text(text)).toBe(text);
    // Comparing at every place would take hours.
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe("a stream", () => {
  test("finds a secret that is split over pieces, and holds back only what may become one", () => {
    const stream = knowing({ it: TOKEN }).stream();
    expect(stream.write(`the key is ${TOKEN.slice(0, 12)}`)).toBe("the key is ");
    expect(stream.write(TOKEN.slice(12))).toBe("[secret it]");
    expect(stream.write(" tok_EXAM")).toBe(" ");
    expect(stream.write("INE")).toBe("tok_EXAMINE");
    expect(stream.write("tok")).toBe("");
    expect(stream.end()).toBe("tok");
  });

  test("gives the same text in any pieces as in one, and holds back less than the longest form", () => {
    const secret = fc
      .string({ unit: fc.constantFrom("a", "b", "1", "-"), minLength: 8, maxLength: 14 })
      .filter(isRedactable);
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 4 }),
        fc.array(fc.oneof(fc.nat(3), fc.string({ unit: fc.constantFrom("a", "b", "1", "-"), maxLength: 9 })), {
          maxLength: 12,
        }),
        (secrets, parts) => {
          const redactor = knowing(Object.fromEntries(secrets.map((value, index) => [`s${index}`, value])));
          const longest = Math.max(...secrets.flatMap((value) => Array.from(formsOf(value), ({ length }) => length)));
          const pieces = parts.map((part) => (typeof part === "number" ? (secrets[part] ?? "") : part));
          const stream = redactor.stream();
          let written = "";
          for (const piece of pieces.flatMap((whole) => [whole.slice(0, 5), whole.slice(5)]))
            written += stream.write(piece);
          const rest = stream.end();
          expect(rest.length).toBeLessThan(longest);
          expect(written + rest).toBe(redactor.text(pieces.join("")));
          for (const value of secrets) expect(written + rest).not.toContain(value);
        },
      ),
    );
  });
});

describe("a value", () => {
  test.each([
    "7391",
    "hunter2",
    "password",
    "Password",
    "PASSWORD",
    "openSesame",
    "vfs_read",
    "top secret",
    "20261105",
    "123456789012345",
  ])("%j is not redacted: it stands in texts for other reasons", (value) => {
    expect(isRedactable(value)).toBe(false);
    expect(knowing({ it: value }).text(`the ${value} is ${value}`)).toBe(`the ${value} is ${value}`);
  });

  test.each(["hunter22", "p4ssword", "kXbQwErTyU", "correcthorsebattery", "1234567890123456", " tok-12-34\n"])(
    "%j is redacted",
    (value) => {
      expect(knowing({ it: value }).text(`the ${value.trim()}`)).toBe("the [secret it]");
    },
  );
});

describe("what looks like a credential", () => {
  test.each([
    "AKIAIOSFODNN7EXAMPLE",
    `ghp_${"a1".repeat(18)}`,
    `github_pat_${"a1".repeat(15)}`,
    "sk-ant-api03-abcdefghijklmnop",
    `xoxb-${"1234567890-".repeat(2)}abc`,
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\\nMIIE, and no end",
  ])("is taken out of a text: %s", (credential) => {
    expect(withoutCredentials(`key=${credential}`)).toBe("key=[redacted credential]");
    expect(withoutCredentials(`first\\n${credential}`)).toBe("first\\n[redacted credential]");
    expect(holdsCredential(credential)).toBe(true);
  });

  test.each([
    "123e4567-e89b-12d3-a456-426614174000",
    "a risk-assessment-of-everything-there-is",
    "AKIA is a prefix",
    "-----BEGIN CERTIFICATE-----",
    "gh pull request",
    "sk-short",
  ])("is not %s", (text) => {
    expect([withoutCredentials(text), holdsCredential(text)]).toEqual([text, false]);
  });

  test.each(["-----BEGIN PRIVATE KEY-----", "-----BEGIN AAAA ", "sk-", "xoxb-", "ghp_", "github_pat_", "AKIA"])(
    "is found in linear time, however often %s begins one",
    (beginning) => {
      const started = performance.now();
      withoutCredentials(beginning.repeat(200_000));
      holdsCredential(beginning.repeat(200_000));
      withoutCredentials(`${beginning}${"A".repeat(4_000_000)}`);
      expect(performance.now() - started).toBeLessThan(2_000);
    },
  );
});
