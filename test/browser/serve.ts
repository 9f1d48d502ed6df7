import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { preview } from "vite";
import { type Bundle, buildPage } from "../../examples/06-browser/build.ts";

/** A page that was bundled, and how to serve it. Disposing stops every server and removes the folder. */
export interface Bundled extends AsyncDisposable {
  readonly bundle: Bundle;
  /** Serves it on a free port of 127.0.0.1, with these headers on every answer. Resolves to its address. */
  serve(headers?: Readonly<Record<string, string>>): Promise<string>;
}

/** Bundles the page in a folder of this repository into a temporary one. */
export async function bundlePage(root: string): Promise<Bundled> {
  await using cleanup = new AsyncDisposableStack();
  const outDir = await mkdtemp(join(tmpdir(), "pegboard-browser-"));
  cleanup.defer(() => rm(outDir, { recursive: true }));
  const bundle = await buildPage(root, outDir);
  const kept = cleanup.move();
  return {
    bundle,
    async serve(headers = {}) {
      const server = await preview({
        configFile: false,
        logLevel: "silent",
        appType: "mpa",
        build: { outDir },
        preview: { host: "127.0.0.1", port: 0, headers },
      });
      kept.defer(() => server.close());
      return server.resolvedUrls!.local[0]!;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
