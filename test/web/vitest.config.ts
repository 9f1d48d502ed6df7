import { defineConfig } from "vitest/config";
import base from "../../vitest.config.ts";

/** Needs root and a kernel with network namespaces: not part of `npm test`. */
export default defineConfig({
  ...base,
  test: { ...base.test, include: ["test/web/*.test.ts"], hookTimeout: 60_000 },
});
