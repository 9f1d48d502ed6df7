import { defineConfig } from "vitest/config";

/** The fast suites. Those that start the command, or need a browser or packages of their own, have a configuration in `test/`. */
export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "test/*.test.ts", "test/e2e/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/fixtures/**", "packages/pegboard/test/cli/**"],
    testTimeout: 20_000,
    // One less than there are processors is the default, which leaves half of a small machine idle.
    maxWorkers: "100%",
    // Node itself loads sources and tests, as it does for users: no transform stands between.
    experimental: { viteModuleRunner: false },
    execArgv: ["--conditions=pegboard:source"],
  },
});
