import { deepStrictEqual } from "node:assert";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { askConfined, makeFolder, REPOSITORY } from "./confinement.ts";
import type { Attempts, Surroundings } from "./inside/look-around.ts";

const WRITE = [
  "/etc/passwd",
  "/etc/pegboard-guard",
  "/pegboard-guard",
  "/usr/bin/git",
  "/usr/pegboard-guard",
  "/proc/sys/kernel/core_pattern",
  "/tools/node_modules/pegboard-guard",
  "/tools/pattern/pegboard-guard",
  join(REPOSITORY, "package.json"),
  join(REPOSITORY, "pegboard-guard"),
];

/**
 * Runs before any test: shows that what is confined can change nothing and reach nobody. Where it could, it rejects, which
 * ends the suite before anything generated has run.
 */
export async function setup(): Promise<void> {
  using folder = makeFolder();
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const see = [REPOSITORY, ...readdirSync(homedir()).map((name) => join(homedir(), name))];
  const attempts: Attempts = { write: WRITE, see, port };
  const found = await askConfined<Surroundings>("look-around", attempts, folder.path).finally(() => server.close());
  deepStrictEqual(
    { ...found, writable: found.writable.filter((path) => !path.startsWith("/dev/")) },
    {
      written: [],
      seen: [],
      connected: false,
      interfaces: ["lo"],
      writable: ["/dev", "/proc", "/tmp", "/home", "/run", folder.path],
      capabilities: "0000000000000000",
      user: 65_534,
    } satisfies Surroundings,
    "The confinement does not hold, so nothing was run",
  );
}
