/**
 * Where a path leads: to a file or a folder of the workspace, to nothing that is there, to what git keeps about a
 * repository (there or not), or out of the workspace.
 */
export type Place = "file" | "folder" | "absent" | "repository" | "outside";

/** The folder in which a command would run. */
export interface Folder {
  /** Says where a path leads from here. */
  locate(path: string): Place;
  /** The folder that `cd` leads to from here; undefined when it is not sure to be one of the workspace. */
  enter(path: string): Folder | undefined;
  /** Whether git would work here with a repository that is not the one of the workspace, and with its settings. */
  isForeign(): boolean;
}

/** A folder of which nothing is known: paths lead where their text says, to nothing that is there. */
export const UNKNOWN_FOLDER: Folder = {
  locate: (path) => (isOutsideByText(path) ? "outside" : namesRepository(path) ? "repository" : "absent"),
  enter: () => undefined,
  isForeign: () => false,
};

function isOutsideByText(path: string): boolean {
  return path.startsWith("/") || path.split("/").includes("..") || /^[A-Za-z]:|\\/.test(path);
}

/** Whether a path names what git keeps about a repository, also as file systems without case or long names spell it. */
export function namesRepository(path: string): boolean {
  return path.split(/[/\\]/).some((name) => /^(?:\.git|git~\d+)[. ]*$/i.test(name));
}
