/** Prints how much of the heap is alive whenever the process is told to with SIGUSR2. */
export function tellWeight(): void {
  process.on("SIGUSR2", () => {
    gc!();
    setTimeout(() => {
      gc!();
      console.log(JSON.stringify({ heap: process.memoryUsage().heapUsed }));
    }, 50);
  });
}
