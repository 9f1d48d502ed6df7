import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../core/error.ts";
import { databaseFile } from "../node/places.ts";
import { describeSandbox } from "../node/sandbox/describe.ts";
import type { SandboxSettings } from "../node/sandbox/settings.ts";
import { sqliteStore } from "../node/sqlite.ts";
import { VERSION } from "../version.ts";
import { describeSize } from "./result.ts";
import type { Settings } from "./settings.ts";

/** One thing that was looked at. `fix` says what would mend it. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly fix?: string;
}

/** What Pegboard runs on. */
export function checkPlatform(): readonly Check[] {
  const { stdin, stdout } = process;
  const tells = (stream: { isTTY?: boolean }) => (stream.isTTY ? "a terminal" : "no terminal");
  return [
    { name: "node", status: "ok", detail: `${process.version} (${process.execPath})` },
    {
      name: "pegboard",
      status: "ok",
      detail: `${VERSION}, run from ${import.meta.url.endsWith(".ts") ? "its source" : "its build"}`,
    },
    { name: "terminal", status: "ok", detail: `input is ${tells(stdin)}, output is ${tells(stdout)}` },
  ];
}

/** Where tools run on this machine. */
export async function checkSandbox(settings: SandboxSettings): Promise<Check> {
  const { modules, commands, missing } = await describeSandbox(settings);
  const runs = `mode ${settings.mode}: modules in ${modules}; commands ${commands}`;
  if (!missing) return { name: "sandbox", status: "ok", detail: runs };
  const { reason, fix, fails } = missing;
  if (fails) return { name: "sandbox", status: "fail", detail: `required, but ${reason}: no tool runs`, fix };
  return {
    name: "sandbox",
    status: settings.mode === "bubblewrap" ? "warn" : "ok",
    detail: `${runs} (${reason})`,
    fix,
  };
}

/** Whether the folder of the log and the virtual files can be written, or made. */
export function checkData({ workspace, home }: Settings): Check {
  const folder = dirname(databaseFile(workspace.value, home.value));
  const nearest = nearestFolder(folder);
  try {
    accessSync(nearest, constants.W_OK);
    return { name: "data", status: "ok", detail: `${folder}${nearest === folder ? "" : " (made at the first call)"}` };
  } catch (error) {
    return {
      name: "data",
      status: "fail",
      detail: messageOf(error),
      fix: `make ${nearest} writable, or set PEGBOARD_DATA`,
    };
  }
}

/** Whether the database opens. One that is not there is not made. */
export async function checkStore({ workspace, home }: Settings): Promise<Check> {
  const file = databaseFile(workspace.value, home.value);
  if (!existsSync(file)) return { name: "database", status: "ok", detail: "none yet: nothing has been called" };
  const store = sqliteStore(file);
  try {
    await store.read({ last: 1 });
    return { name: "database", status: "ok", detail: `${file}, ${describeSize(statSync(file).size)}` };
  } catch (error) {
    return {
      name: "database",
      status: "fail",
      detail: messageOf(error),
      fix: "move the file away to begin with an empty one",
    };
  } finally {
    await store.close();
  }
}

function nearestFolder(folder: string): string {
  return existsSync(folder) ? folder : nearestFolder(dirname(folder));
}
