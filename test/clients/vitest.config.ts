import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Slow: installs clients of others from the npm registry, and lets them talk to the real command. Not part of `npm test`. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["test/clients/*.test.ts", "test/agents/light.test.ts"],
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 180_000,
    env: { MASTRA_TELEMETRY_DISABLED: "1", OPENAI_AGENTS_DISABLE_TRACING: "1" },
    experimental: { viteModuleRunner: false },
    execArgv: ["--conditions=pegboard:source"],
  },
});
