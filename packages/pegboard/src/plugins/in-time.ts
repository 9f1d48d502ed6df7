import { PegboardError } from "../core/error.ts";

/** Waits so long for a step of a plugin. Rejects with `timeout` after that, and with what the step throws; what comes later is dropped. */
export async function inTime<T>(ms: number, run: () => T | Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new PegboardError("timeout", `no end within ${ms / 1000} seconds`)), ms);
  });
  try {
    return await Promise.race([run(), late]);
  } finally {
    clearTimeout(timer);
  }
}
