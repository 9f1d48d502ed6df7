import { defineConfig } from "vite";

/** What is loaded by its address: the exports of the package, and its command. */
const ENTRIES = ["index", "node/index", "ai-sdk", "mcp", "http", "acp", "client/index", "testing/index", "cli/main"];

/**
 * What is one file, with all that it needs at once and that is not in one before it. The first three are for browsers too:
 * what these load and a workspace needs must be among them. Every command has `main`, and most have `workspace`.
 */
const GROUPS = [
  { name: "core", test: /\/build\/(?:version|core\/(?!yaml|words|synonyms|text-index))/ },
  { name: "yaml", test: /\/build\/core\/yaml\.js$/ },
  {
    name: "runtime",
    test: /\/build\/(?:runtime|tools\/web-(?:fetch|search)|sources\/mcp\/(?:config|names|server|plugin-servers))\.js$/,
  },
  { name: "main", test: /\/build\/cli\/main\.js$/ },
  { name: "workspace", test: /\/build\/node\/workspace\.js$/ },
].map((group, index, all) => ({ ...group, priority: all.length - index }));

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
        "parts/inside-main": "build/node/sandbox/inside-main.js",
      },
      external: [/^[^./]/],
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "parts/[name]-[hash].js",
        codeSplitting: { groups: GROUPS },
      },
    },
  },
});
