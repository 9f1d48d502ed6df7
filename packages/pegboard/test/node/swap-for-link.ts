import { renameSync, symlinkSync } from "node:fs";

/**
 * Exchanges something for a link to somewhere else and back, again and again, until its input ends. Prints how often.
 * Arguments: the path to exchange, where the link leads.
 */
const [path, elsewhere] = process.argv.slice(2) as [string, string];
const [aside, link] = [`${path}-aside`, `${path}-link`];
let [swaps, made, over] = [0, 0, false];
process.stdin.resume().on("end", () => (over = true));
symlinkSync(elsewhere, link);
process.stdout.write("ready\n");

function swap(): void {
  for (let round = 0; round < 20; round++) {
    exchange(aside, link);
    linger();
    exchange(link, aside);
    linger();
    swaps++;
  }
  if (over) process.stdout.write(`${swaps}\n`);
  else setImmediate(swap);
}

/** Moves what is at the path away, and something else there. */
function exchange(away: string, there: string): void {
  renameSync(path, away);
  while (!moved(there)) renameSync(path, `${path}-made-${made++}`);
}

/** Whether it could be moved: whoever writes may have made the folder anew in between. */
function moved(there: string): boolean {
  try {
    renameSync(there, path);
    return true;
  } catch {
    return false;
  }
}

/** Stays for as long as a system call or two take. */
function linger(): void {
  const end = performance.now() + Math.random() * 0.1;
  while (performance.now() < end);
}
swap();
