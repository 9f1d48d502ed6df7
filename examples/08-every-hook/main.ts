// Every hook and every field of a plugin, each checked: `node --conditions=pegboard:source examples/08-every-hook/main.ts`
// The guide, docs/plugins.md, is taken from these files.
import "./hooks.ts";
import "./thread-hooks.ts";
import "./fields.ts";
import "./host.ts";

console.log("Every hook and every field does what it says.");
