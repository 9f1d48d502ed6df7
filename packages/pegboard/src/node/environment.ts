import { PegboardError } from "../core/error.ts";

/** What a program of somebody else's is told about this machine. Everything else may be a secret of the host. */
const SHARED = ["PATH", "HOME", "LANG", "LANGUAGE", "TERM", "TMPDIR", "TZ"];
const SHARED_ON_WINDOWS = ["SYSTEMROOT", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA"];

/** The environment of a program that is not ours: what is on the list, and what was set for it. */
export function minimalEnvironment(
  own: Readonly<Record<string, string>> = {},
  host: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const shared = Object.entries(host).filter(([name, value]) => value !== undefined && isShared(name));
  return { ...(Object.fromEntries(shared) as Record<string, string>), ...own };
}

/** Values in which `${NAME}` stands for a variable of the host. Throws `unavailable` for one that is not set. */
export function resolveReferences(
  values: Readonly<Record<string, string>>,
  host: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const resolve = (value: string) =>
    value.replaceAll(/\$\{([A-Za-z_]\w*)\}/g, (_, name: string) => {
      const found = host[name];
      if (found !== undefined) return found;
      throw new PegboardError(
        "unavailable",
        `The environment variable ${name} is not set: set it, or change the env that names it`,
      );
    });
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, resolve(value)]));
}

function isShared(name: string): boolean {
  if (process.platform === "win32") return [...SHARED, ...SHARED_ON_WINDOWS].includes(name.toUpperCase());
  return SHARED.includes(name) || name.startsWith("LC_");
}
