import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Slow, and only on Linux with bubblewrap: what a confined program can and cannot do. Not part of `npm test`. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["test/sandbox/*.test.ts"],
    testTimeout: 30_000,
    // Costs are measured: nothing else may run beside.
    fileParallelism: false,
    experimental: { viteModuleRunner: false },
    execArgv: ["--conditions=pegboard:source"],
  },
});
