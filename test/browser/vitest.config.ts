import { defineConfig } from "vitest/config";
import base from "../../vitest.config.ts";

/** The suite that runs in a real browser: slow, so `npm test` leaves it out. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ["test/browser/**/*.test.ts"],
    hookTimeout: 120_000,
    // So that pages are bundled as they are for users.
    env: { NODE_ENV: "production" },
  },
});
