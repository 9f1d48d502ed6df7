/**
 * Keeps the process alive when code throws where nobody can catch it: in a timer, or in a promise that nobody waits for.
 * A tool in this process can do that long after its call was answered. Each error goes to `report`, which must not
 * throw; until disposed, none of them ends the process or changes its exit code.
 */
export function surviveLateErrors(report: (error: unknown) => void): Disposable {
  const events = ["uncaughtException", "unhandledRejection"] as const;
  for (const event of events) process.on(event, report);
  return {
    [Symbol.dispose]() {
      for (const event of events) process.removeListener(event, report);
    },
  };
}
