import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";

// Imported before a command, it writes down every module that the command loads, whichever way.
const loaded: string[] = [];
registerHooks({
  load(url, context, nextLoad) {
    loaded.push(url);
    return nextLoad(url, context);
  },
});
process.on("exit", () => writeFileSync(process.env["LOADED_MODULES"]!, loaded.join("\n")));
