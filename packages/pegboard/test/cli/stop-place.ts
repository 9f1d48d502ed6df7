import { makePlace, type Place, toolModule } from "./run.ts";

const READY = "approval: 'preApproved', ";
const TOOLS = toolModule({
  held: `${READY}execute: async () => {
    while (!existsSync(new URL("../go", import.meta.url))) await new Promise((resolve) => setTimeout(resolve, 20));
    return "done";
  }`,
  never: `${READY}execute: () => new Promise(() => {})`,
  deaf: `${READY}execute: (_input, { signal }) => new Promise((resolve) => setTimeout(resolve, 60_000, signal))`,
  child: `${READY}execute: () => new Promise((resolve) => {
    const child = spawn("sh", ["-c", "trap '' TERM; echo; while :; do sleep 1; done"], { stdio: "ignore" });
    child.on("exit", resolve);
  })`,
});

const STUCK = `import { definePlugin } from "pegboard";
export default definePlugin({ name: "stuck", version: "1.0.0", description: "Hangs", register: () => {}, stop: () => new Promise(() => {}) });
`;

/** A workspace whose tools and plugin do not end when they are told to; `held` waits for the file `go`. */
export function stopPlace(): Place {
  return makePlace(
    {
      "pegboard.yaml": "version: 1\npolicy: { rules: [{ tool: '*', approval: preApproved }] }\n",
      "tools/a.ts": `import { spawn } from "node:child_process";\nimport { existsSync } from "node:fs";\n${TOOLS}`,
      "plugins/stuck/index.ts": STUCK,
    },
    { trust: true },
  );
}
