import { join } from "node:path";

/** What a plugin depends on: a `package.json` or a list of Python packages, inside of the plugin. */
export interface Dependencies {
  readonly file: string;
  readonly runtime: "node" | "python3";
}

/** Where what a plugin depends on is installed, for that plugin alone. */
export interface Surroundings extends Dependencies {
  readonly folder: string;
  /** Variables that its tools need to find it. */
  readonly env: Readonly<Record<string, string>>;
  /** The program of this name in it, when it has one of its own. */
  program(name: string): string | undefined;
}

/** The surroundings of a plugin. Only says where they are. */
export function toSurroundings({ file, runtime }: Dependencies, folder: string): Surroundings {
  const isPython = runtime === "python3";
  return {
    file,
    runtime,
    folder,
    env: isPython ? { VIRTUAL_ENV: folder } : { NODE_PATH: join(folder, "node_modules") },
    program: (name) => (isPython && (name === "python3" || name === "python") ? pythonIn(folder) : undefined),
  };
}

/** The Python of a virtual environment. */
export function pythonIn(folder: string): string {
  return process.platform === "win32" ? join(folder, "Scripts", "python.exe") : join(folder, "bin", "python3");
}
