import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const conditions = ["pegboard:source"];

/** Slow: installs real toolsets from the npm registry. Not part of `npm test`. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["test/toolsets/*.test.ts"],
    // Node itself must resolve what is imported there: the same name stands for another package in each folder.
    server: { deps: { external: [/pegboard-toolset-/] } },
    fileParallelism: false,
    testTimeout: 20_000,
    hookTimeout: 120_000,
  },
});
