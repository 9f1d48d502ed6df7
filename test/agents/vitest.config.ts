import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Slow: installs agents of others from the npm registry, almost 3 GB, and lets them work with a model that is none. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["test/agents/*.test.ts"],
    fileParallelism: false,
    // Cline gives a server three seconds to start, however busy the machine is.
    retry: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    experimental: { viteModuleRunner: false },
    execArgv: ["--conditions=pegboard:source"],
  },
});
