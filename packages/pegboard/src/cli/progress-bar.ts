/** A bar on the error stream that shows how far something is. */
export interface ProgressBar {
  show(done: number, total: number): void;
  /** Takes it away, before something else is written or when all is done. */
  clear(): void;
}

const WIDTH = 30;
/** Less is over before anybody could read it. */
const LEAST = 100;
const EVERY_MS = 100;
const CLEAR = "\r\u001b[K";

/** Makes a bar. It is drawn on a terminal alone, and not with `quiet`. */
export function createProgressBar({ quiet = false }: { readonly quiet?: boolean | undefined }): ProgressBar {
  const { stderr } = process;
  let drawn = false;
  let last = 0;
  return {
    show(done, total) {
      if (quiet || !stderr.isTTY || total < LEAST || (drawn && performance.now() - last < EVERY_MS)) return;
      const full = Math.floor((done / total) * WIDTH);
      stderr.write(`${CLEAR}[${"#".repeat(full)}${"-".repeat(WIDTH - full)}] ${done} of ${total}`);
      [drawn, last] = [true, performance.now()];
    },
    clear() {
      if (drawn) stderr.write(CLEAR);
      drawn = false;
    },
  };
}
