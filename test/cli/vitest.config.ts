import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Slow: starts the real command in a process of its own, again and again. Not part of `npm test`. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["packages/pegboard/test/cli/**/*.test.ts"],
    testTimeout: 20_000,
    maxWorkers: "100%",
    experimental: { viteModuleRunner: false },
    execArgv: ["--conditions=pegboard:source"],
  },
});
