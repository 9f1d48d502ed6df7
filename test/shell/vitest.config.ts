import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Slow, and only on Linux with bubblewrap: what is allowed, done for real. Not part of `npm test`. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["test/shell/*.test.ts"],
    globalSetup: ["test/shell/guard.ts"],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Each file keeps all cores busy by itself.
    fileParallelism: false,
    experimental: { viteModuleRunner: false },
    execArgv: ["--conditions=pegboard:source"],
  },
});
