import type { Control } from "../core/control.ts";

/** Waits so many milliseconds. Throws or rejects with the reason when the control is cancelled. */
export function pause(ms: number, control: Control): Promise<void> {
  control.throwIfCancelled();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      leave();
      resolve();
    }, ms);
    const leave = control.onCancel((reason) => {
      clearTimeout(timer);
      reject(reason);
    });
  });
}
