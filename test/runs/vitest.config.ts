import { defineConfig } from "vitest/config";
import base from "../../vitest.config.ts";

/** The proof that runs of agents survive their process. Slow, so `npm test` leaves it out. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ["test/runs/*.test.ts"],
    // They start processes of their own and measure time.
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 120_000,
  },
});
