/** A timer that keeps no process alive, where there are such processes. */
export function unheld(timer: ReturnType<typeof setTimeout>): ReturnType<typeof setTimeout> {
  (timer as { unref?: () => void }).unref?.();
  return timer;
}
