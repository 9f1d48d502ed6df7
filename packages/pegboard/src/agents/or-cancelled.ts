import type { Control } from "../core/control.ts";

/**
 * Waits for something that cannot be told to stop, or for the cancel, whichever is first; then rejects with its reason.
 * `late` gets what comes nevertheless.
 */
export function orCancelled<T>(waiting: Promise<T>, control: Control, late?: (value: T) => unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    let over = false;
    const leave = control.onCancel((reason) => {
      over = true;
      reject(reason);
    });
    waiting
      .then((value) => (over ? late?.(value) : resolve(value)), reject)
      .finally(leave)
      .catch(() => {});
    try {
      control.throwIfCancelled();
    } catch (reason) {
      over = true;
      reject(reason);
    }
  });
}
