import type { PluginFolder } from "./plugin-folder.ts";

/** What npm would run by itself when it installs a package. */
const BY_ITSELF = ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"];

/** What a `package.json` asks for. */
export interface PackageWishes {
  /** Package → range. */
  readonly dependencies: Readonly<Record<string, string>>;
  /** What would run when it is installed by npm, and is not run: script → command. */
  readonly scripts: Readonly<Record<string, string>>;
}

/** Reads what a plugin's `package.json` asks for, and which of the packages locked with it have scripts. Nothing runs. */
export async function readPackageWishes(folder: PluginFolder): Promise<PackageWishes> {
  const { dependencies, scripts } = await readObject(folder, "package.json");
  const { packages } = await readObject(folder, "package-lock.json");
  const own = Object.entries(textsOf(scripts)).filter(([name]) => BY_ITSELF.includes(name));
  const theirs = Object.entries(Object(packages) as Record<string, { readonly hasInstallScript?: unknown } | null>)
    .filter(([path, entry]) => path !== "" && entry?.hasInstallScript === true)
    .map(([path]) => [path.replace(/^.*node_modules\//, ""), "a script of this dependency"] as const);
  return { dependencies: textsOf(dependencies), scripts: Object.fromEntries([...own, ...theirs]) };
}

async function readObject(folder: PluginFolder, path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return Object(JSON.parse((await folder.read(path)) ?? "{}")) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(Object(value) as object).filter(([, text]) => typeof text === "string");
  return Object.fromEntries(entries) as Record<string, string>;
}
