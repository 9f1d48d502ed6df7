import { equal } from "./store-check.ts";
import { has, type SceneCheck, until, use } from "./transport-client.ts";

/** How a client follows what happens: progress, cancel, approvals, changes, what it missed. */
export function checkWork(check: SceneCheck): void {
  check("tells what a call reports while it runs, and cancels it", async ({ connect, happened }) => {
    const client = await connect();
    const leaving = new AbortController();
    const reports: string[] = [];
    const { signal } = leaving;
    const work = client.call
      ? client.call("wait", {}, { signal, onProgress: (message) => reports.push(message) })
      : client.prompt!("call wait {}", { signal });
    const done = work.then(
      () => {},
      () => {},
    );
    await until("the call waits", () => happened().includes("waits"));
    if (client.call) await until("a report comes", () => reports.some((report) => report.includes("waiting")));
    leaving.abort();
    await until("the tool sees that it is cancelled", () => happened().includes("cancelled"));
    await done;
    equal((await use(client, "echo", { text: "on" })).text, "on");
  });

  check("asks for approval while it goes on answering, and runs the tool once when it is allowed", async (scene) => {
    const asked = Promise.withResolvers<string>();
    const answer = Promise.withResolvers<"allow">();
    const client = await scene.connect((tool) => {
      asked.resolve(tool);
      return answer.promise;
    });
    const called = use(client, "ask_first", { text: "hello" });
    equal(await asked.promise, "ask_first");
    equal(scene.happened(), []);
    // An agent answers one prompt after the other.
    if (client.call) equal((await use(client, "echo", { text: "meanwhile" })).text, "meanwhile");
    answer.resolve("allow");
    has((await called).text, "asked hello");
    equal(scene.happened(), ["asked hello"]);
  });

  check("does not run a tool that the person denies", async ({ connect, happened }) => {
    const client = await connect(async () => "deny");
    const denied = await use(client, "ask_first", { text: "hello" });
    if (client.call) equal(denied.ok, false);
    equal(happened(), []);
  });

  check("asks for approval of what an agent calls", async ({ connect, happened }) => {
    const client = await connect();
    if (!client.prompt) return;
    has(await client.prompt(`call ask_first {"text":"it"}`), "asked it");
    equal(happened(), ["asked it"]);
  });

  check("says that the tools are others now, and lists those", async ({ connect, hangLate }) => {
    const client = await connect();
    if (!client.onToolsChange || !client.list) return;
    let changes = 0;
    await client.onToolsChange(() => changes++);
    await client.list();
    await hangLate();
    // Other changes may be told before it.
    for (let seen = 0, listed = false; !listed;) {
      await until("the change is told", () => changes > seen);
      seen = changes;
      listed = (await client.list()).some((tool) => tool.name === "late");
    }
  });

  check("tells a client that comes back what it missed, from a sequence number on", async ({ connect }) => {
    const client = await connect();
    if (!client.eventsFrom) return;
    await use(client, "echo", { text: "a" });
    const all = await client.eventsFrom(1);
    equal(all.slice(0, 4), [1, 2, 3, 4]);
    // More may have come meanwhile.
    equal((await client.eventsFrom(3)).slice(0, all.length - 2), all.slice(2));
  });
}
