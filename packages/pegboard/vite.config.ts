import { defineConfig } from "vite";

/** What is loaded by its address: the exports of the package, and its command. */
const ENTRIES = ["index", "node/index", "ai-sdk", "mcp", "http", "acp", "client/index", "testing/index", "cli/main"];

// A start pays for every file that it loads, so what is published has few: what is always loaded together is one file. What
// is loaded late stays apart, and dependencies are imported as they are. tsc has made `build`, and the types in `dist`.
export default defineConfig({
  build: {
    ssr: true,
    target: "esnext",
    minify: false,
    emptyOutDir: false,
    rolldownOptions: {
      input: {
        ...Object.fromEntries(ENTRIES.map((name) => [name, `build/${name}.js`])),
        "shared/inside-main": "build/node/sandbox/inside-main.js",
      },
      external: [/^[^./]/],
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "shared/[name]-[hash].js",
        codeSplitting: {
          groups: [
            // Without what reads YAML and what finds tools by words: few need both.
            { name: "core", test: /\/build\/core\/(?!yaml|words|synonyms|text-index)/, priority: 2 },
            { name: "runtime", test: /\/build\/runtime\.js$/, priority: 1 },
          ],
        },
      },
    },
  },
});
