import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";

/** A program that can be started, or why it cannot: as a shell tells them apart, by 127 and 126. */
export type FoundProgram =
  | { readonly path: string }
  | { readonly problem: "not_found" | "not_executable"; readonly message: string };

/** Looks a program up as the system would: a name on the `PATH`, anything with a slash from `cwd`. */
export function findProgram(program: string, cwd: string, env: Readonly<Record<string, string>>): FoundProgram {
  if (program.includes("\0")) return notFound(program, "a name cannot hold a NUL character");
  const places =
    program.includes("/") || isAbsolute(program)
      ? [resolve(cwd, program)]
      : foldersOf(env).map((folder) => join(resolve(cwd, folder), program));
  const present = places.flatMap(withExtensions).filter(isFile);
  const path = present.find(isExecutable);
  if (path !== undefined) return { path };
  if (present[0] === undefined)
    return notFound(
      program,
      program.includes("/") ? `there is no file ${places[0]}` : "it is in no folder of the PATH",
    );
  return {
    problem: "not_executable",
    message: `The program "${program}" cannot be run: ${present[0]} is not executable`,
  };
}

function notFound(program: string, why: string): FoundProgram {
  return { problem: "not_found", message: `The program ${JSON.stringify(program)} was not found: ${why}` };
}

function foldersOf({ PATH = "" }: Readonly<Record<string, string>>): string[] {
  return PATH.split(delimiter).filter((folder) => folder !== "");
}

function withExtensions(path: string): string[] {
  if (process.platform !== "win32") return [path];
  return [
    path,
    ...(process.env["PATHEXT"] ?? ".EXE;.CMD;.BAT").split(";").map((extension) => path + extension.toLowerCase()),
  ];
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // Also a folder that may not be looked into.
    return false;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
