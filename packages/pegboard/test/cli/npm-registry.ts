import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { makeTarball } from "../node/plugins/make-archive.ts";

/** A package of one version. */
export interface RegistryPackage {
  readonly version: string;
  /** With a `package.json`. */
  readonly files: Readonly<Record<string, string>>;
}

/** Serves packages as a registry of npm does, until the test is over. Resolves to its address. */
export async function startRegistry(packages: Readonly<Record<string, RegistryPackage>>): Promise<string> {
  const server = createServer((request, response) => {
    const name = request.url!.slice(1).replace(/\.tgz$/, "");
    const found = packages[name];
    if (!found) return void response.writeHead(404).end("{}");
    const { version, files } = found;
    if (request.url!.endsWith(".tgz"))
      return void response.end(
        makeTarball(Object.entries(files).map(([path, content]) => ({ path: `package/${path}`, content }))),
      );
    const { dependencies, scripts } = JSON.parse(files["package.json"]!) as Readonly<
      Record<string, object | undefined>
    >;
    const dist = { tarball: `${address()}${name}.tgz` };
    const one = { name, version, dist, dependencies, scripts, hasInstallScript: scripts !== undefined };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions: { [version]: one } }));
  });
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  return address();
}
