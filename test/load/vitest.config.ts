import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const conditions = ["pegboard:source"];

/** Slow: thousands of calls and connections at once. Not part of `npm test`. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["test/load/*.test.ts"],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 30_000,
  },
});
