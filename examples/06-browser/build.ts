import { isBuiltin } from "node:module";
import { build, createLogger, defaultClientConditions, type Rolldown } from "vite";

/** What a build wrote, and what is wrong with it for a browser. */
export interface Bundle {
  /** The text of every script, by file name. */
  readonly scripts: ReadonlyMap<string, string>;
  /** Warnings of the bundler, and whatever a script imports that is no script of the bundle. */
  readonly problems: readonly string[];
}

/** Bundles the page in `root` into the folder `outDir`, from Pegboard's sources. */
export async function buildPage(root: string, outDir: string): Promise<Bundle> {
  const problems: string[] = [];
  const logger = createLogger("warn");
  logger.warn = (message) => void problems.push(message);
  logger.warnOnce = logger.warn;
  const output = (await build({
    root,
    configFile: false,
    logLevel: "warn",
    customLogger: logger,
    resolve: { conditions: [...defaultClientConditions, "pegboard:source"] },
    build: { outDir, emptyOutDir: true, target: "es2024" },
  })) as Rolldown.RolldownOutput;
  const chunks = output.output.filter((file) => file.type === "chunk");
  const scripts = new Map(chunks.map(({ fileName, code }) => [fileName, code]));
  for (const { fileName, imports, dynamicImports, moduleIds, code } of chunks) {
    const strangers = [...imports, ...dynamicImports].filter((name) => !scripts.has(name));
    const replaced = moduleIds.filter((id) => id.includes("__vite-browser-external"));
    const named = Array.from(code.matchAll(/["'`](node:[a-z_/]+)["'`]/g), ([, name]) => name!).filter(isBuiltin);
    for (const name of [...strangers, ...replaced, ...named]) problems.push(`${fileName} needs ${name}`);
  }
  return { scripts, problems };
}
