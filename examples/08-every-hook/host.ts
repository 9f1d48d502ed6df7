// Everything that a host lends a plugin, each with a check that it does what it says.
import assert from "node:assert/strict";
import type { Json, Plugin, PluginHost } from "pegboard";
import { stage } from "./stage.ts";

/** Adds a plugin that does this when it is started. */
async function starting(start: NonNullable<Plugin["start"]>, settings: Json = {}) {
  const { runtime, session } = await stage([]);
  await runtime.plugins.add({ plugin: { name: "post", version: "1.0.0", register() {}, start }, settings });
  const view = () => runtime.plugins.get("post")!;
  return { runtime, session, view };
}

{
  const start = (host: PluginHost) => assert.equal(host.name, "post");

  const { runtime, view } = await starting(start);
  assert.equal(view().status, "healthy");
  await runtime.close();
}

{
  const seen: Json[] = [];
  const start = (host: PluginHost) => void seen.push(host.settings);

  await (await starting(start, { office: "Main Street" })).runtime.close();
  assert.deepEqual(seen, [{ office: "Main Street" }]);
}

{
  let kept: unknown;
  const keeping = {
    start: ({ state }: PluginHost) => void state.set("letters", 3),
    stop: ({ state }: PluginHost) => void (kept = state.get("letters")),
  };

  const { runtime } = await stage([{ name: "post", version: "1.0.0", register() {}, ...keeping }]);
  await runtime.close();
  assert.equal(kept, 3);
}

{
  let ended = false;
  const start = ({ signal }: PluginHost) => signal.addEventListener("abort", () => (ended = true));

  await (await starting(start)).runtime.close();
  assert.equal(ended, true);
}

{
  const start = (host: PluginHost) => host.report("degraded", "out of stamps");

  const { runtime, view } = await starting(start);
  assert.deepEqual([view().status, view().reason], ["degraded", "out of stamps"]);
  await runtime.close();
}

{
  const start = (host: PluginHost) =>
    host.background("collecting letters", async () => {
      throw new Error("the box is stuck");
    });

  const { runtime, view } = await starting(start);
  assert.equal(view().reason, "collecting letters failed: the box is stuck");
  await runtime.close();
}

{
  const sums: unknown[] = [];
  const start = async (host: PluginHost) => {
    const { ok, structured, error } = await host.call("add", { a: 1, b: 2 });
    sums.push(ok ? structured : error);
  };

  await (await starting(start)).runtime.close();
  assert.deepEqual(sums, [{ sum: 3 }]);
}

{
  const answers: string[] = [];
  const start = async (host: PluginHost) => void answers.push(await host.run("Write a poem", { agent: "poet" }));

  await (await starting(start)).runtime.close();
  assert.deepEqual(answers, ["Roses."]);
}

{
  const heard: Json[] = [];
  const start = (host: PluginHost) => host.broadcast("letter", { from: "Ada" });

  const { runtime } = await stage([
    { name: "listener", version: "1.0.0", register: () => ({ broadcast: (_topic, data) => void heard.push(data) }) },
    { name: "post", version: "1.0.0", register() {}, start },
  ]);
  await runtime.close();
  assert.deepEqual(heard, [{ from: "Ada" }]);
}
