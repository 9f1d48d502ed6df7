import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const conditions = ["pegboard:source"];

/** Slow: installs the official conformance suite of MCP from the npm registry. Not part of `npm test`. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["test/conformance/*.test.ts"],
    globalSetup: "test/conformance/install.ts",
    // The suite measures time, and so must not be disturbed.
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 120_000,
  },
});
