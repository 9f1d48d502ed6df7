import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { PegboardError } from "../../core/error.ts";
import { minimalEnvironment, resolveReferences } from "../environment.ts";
import { type Bubblewrap, findBubblewrap } from "./bubblewrap.ts";
import type { Channel, ChannelListener } from "./channel.ts";
import { openChild } from "./child-channel.ts";
import { confine, type Confinement, limit, separate } from "./confine.ts";
import type { CodeSource } from "./code-source.ts";
import type { SandboxPlace, SandboxSettings } from "./settings.ts";
import { openWorker } from "./worker-channel.ts";

const MODULE_MEMORY_MIB = 1_024;
const COMMAND_MEMORY_MIB = 4_096;

/** What memory besides the JavaScript heap a module's process gets: code, stacks, buffers. */
const OVERHEAD_MIB = 1_024;

/** The package that this file belongs to. */
const OWN_CODE = join(import.meta.dirname, "..", "..", "..");

/** Starts the process or thread of a source, as the settings want it. Rejects with `unavailable` when it must not run. */
export async function startCode(
  source: CodeSource,
  sandbox: SandboxPlace,
  listener: ChannelListener,
): Promise<Channel> {
  const { settings, folder } = sandbox;
  const heapMiB = settings.memory ?? MODULE_MEMORY_MIB;
  const memoryMiB = heapMiB + OVERHEAD_MIB;
  const env = minimalEnvironment(resolveReferences(source.env));
  const bubblewrap = await toBubblewrap(settings);
  // Native code goes past whatever is promised about a plugin; a package may need it for what it is there for.
  const addons = source.recipe.kind !== "plugin";
  if (settings.mode === "worker") return openWorker({ env, heapMiB, addons }, listener);
  const wrap = (argv: readonly string[]) => {
    const { usable, programs } = bubblewrap;
    if (usable && settings.mode === "bubblewrap") {
      return confine(
        argv,
        { ...toConfinement({ cwd: folder, read: codeOf(source, folder) }, sandbox), memoryMiB },
        programs,
      );
    }
    const limited = limit(argv, { programs, memoryMiB });
    return usable && settings.mode === "auto" ? separate(limited, programs) : limited;
  };
  return openChild({ wrap, env, cwd: folder, heapMiB, addons }, listener);
}

/** What of the file system a command needs besides what every one gets. */
export type CommandPlace = Pick<Confinement, "cwd" | "read" | "write">;

/** The command that runs a command as confined as the settings want. Rejects with `unavailable` when it must not run. */
export async function confineCommand(
  argv: readonly string[],
  place: CommandPlace,
  sandbox: SandboxPlace,
): Promise<readonly string[]> {
  const { settings } = sandbox;
  const bubblewrap = await toBubblewrap(settings);
  if (!bubblewrap.usable || settings.mode === "process") return argv;
  const memoryMiB = settings.memory ?? COMMAND_MEMORY_MIB;
  return confine(argv, { ...toConfinement(place, sandbox), memoryMiB }, bubblewrap.programs);
}

async function toBubblewrap({ required }: SandboxSettings): Promise<Bubblewrap> {
  const bubblewrap = await findBubblewrap();
  if (bubblewrap.usable || !required) return bubblewrap;
  const { reason, fix } = bubblewrap;
  throw new PegboardError("unavailable", `The sandbox is required and cannot be had: ${reason}. To mend it, ${fix}`);
}

function toConfinement({ cwd, read = [], write = [] }: CommandPlace, sandbox: SandboxPlace): Confinement {
  const { folder, protect = [], hide = [], settings } = sandbox;
  // What is not there yet cannot be hidden, and would be seen once it is.
  for (const path of hide) if (path.startsWith(`${folder}/`)) mkdirSync(path, { recursive: true, mode: 0o700 });
  return { cwd, read, write: [folder, ...write], protect, hide, network: settings.network };
}

/** All that code may import: itself, the packages around it, and ours. */
function codeOf({ files, recipe }: CodeSource, folder: string): string[] {
  const packages = recipe.kind === "toolset" ? [recipe.places.packages] : [];
  const around = [OWN_CODE, folder, ...files.map((file) => dirname(file))].flatMap(packagesAround);
  return [OWN_CODE, ...packages, ...around, ...files];
}

function packagesAround(from: string): string[] {
  const packages: string[] = [];
  for (let folder = from; ; folder = dirname(folder)) {
    packages.push(join(folder, "node_modules"));
    if (folder === dirname(folder)) break;
  }
  // In a checkout, what is ours is linked.
  const linked = packages.map((path) => join(path, "@pegboard", "contract")).filter((path) => existsSync(path));
  return [...packages, ...linked.map((path) => realpathSync(path))];
}
