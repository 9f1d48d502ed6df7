import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { answer } from "./answer.ts";
import { readStarts, type Start } from "./witness.ts";

/** What a real bash did with a text. */
export interface Witnessed {
  readonly starts: readonly Start[];
  /** The files in its folder that appeared, changed or went away. */
  readonly changed: readonly string[];
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

const PATTERN = { "a.txt": "a\n", "b.txt": "b\n" };
const MOST_MS = 20_000;

await answer(async ({ texts }: { readonly texts: readonly string[] }): Promise<Witnessed[]> => {
  const witnessed: Witnessed[] = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index < texts.length; index = next++)
      witnessed[index] = await witness(texts[index]!, String(index));
  };
  await Promise.all(Array.from({ length: 2 * availableParallelism() }, work));
  return witnessed;
});

async function witness(command: string, name: string): Promise<Witnessed> {
  // Folders of its own: what one text left in the background must not speak for the next.
  const folder = join(process.cwd(), name);
  const [cwd, log] = [join(folder, "cwd"), join(folder, "log")];
  mkdirSync(cwd, { recursive: true });
  mkdirSync(log);
  for (const [file, content] of Object.entries(PATTERN)) writeFileSync(join(cwd, file), content);
  const child = spawn("/bin/bash", ["--noprofile", "--norc", "-c", command], {
    cwd,
    env: { PATH: "/tools/pattern/bin", HOME: cwd, WITNESS: log },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: MOST_MS,
    killSignal: "SIGKILL",
  });
  const exited = new Promise<number | null>((resolve, reject) => child.on("error", reject).on("exit", resolve));
  const outputs = Promise.all([text(child.stdout), text(child.stderr)]);
  const code = await exited;
  // What went to the background may hold the outputs open; nobody waits for it.
  const lingering = setTimeout(() => [child.stdout, child.stderr].forEach((stream) => stream.destroy()), 200);
  const [stdout, stderr] = await outputs.catch(() => ["", ""]);
  clearTimeout(lingering);
  const witnessed = { starts: readStarts(log), changed: changesIn(cwd), stdout: stdout!, stderr: stderr!, code };
  rmSync(folder, { recursive: true, force: true });
  return witnessed;
}

function changesIn(cwd: string): string[] {
  const found = readdirSync(cwd);
  const missing = Object.keys(PATTERN).filter((file) => !found.includes(file));
  const changed = found.filter((file) => !isAsBefore(join(cwd, file), file));
  return [...missing, ...changed];
}

function isAsBefore(path: string, file: string): boolean {
  try {
    return readFileSync(path, "utf8") === PATTERN[file as keyof typeof PATTERN];
  } catch {
    return false;
  }
}
