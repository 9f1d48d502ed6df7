import { equal } from "./store-check.ts";
import { has, type SceneCheck, use } from "./transport-client.ts";
import { BIG, ECHO_INPUT } from "./transport-stage.ts";

/** How a client gets to tools: lists, calls, results, failures. */
export function checkTools(check: SceneCheck): void {
  check("lists the tools with the author's schemas", async ({ connect }) => {
    const tools = await (await connect()).list?.();
    if (!tools) return;
    const echo = tools.find((tool) => tool.name === "echo");
    equal(echo?.inputSchema, ECHO_INPUT);
  });

  check("calls a tool and gives back its text, whatever is in it", async ({ connect }) => {
    const client = await connect();
    for (const text of ["hello", "שלום 🙂 \u2028 é"]) equal((await use(client, "echo", { text })).text, text);
  });

  check("gives back a structured result, and says the same as text", async ({ connect }) => {
    const client = await connect();
    const { ok, text, structured } = await use(client, "sum", { a: 1, b: 2 });
    equal(ok, true);
    equal(JSON.parse(text), { sum: 3 });
    if (client.call) equal(structured, { sum: 3 });
  });

  check("gives back a failure as a result, and goes on", async ({ connect }) => {
    const client = await connect();
    const failed = await use(client, "fail", {});
    has(failed.text, "it did not work out");
    if (client.call) equal(failed.ok, false);
    equal((await use(client, "echo", { text: "on" })).text, "on");
  });

  check("refuses input that does not fit and tools that are not there, and goes on", async ({ connect }) => {
    const client = await connect();
    const wrong = await use(client, "echo", { text: 1 });
    has(wrong.text, "text");
    if (client.call) equal(wrong.ok, false);
    if (client.call) equal((await use(client, "nothing", {})).ok, false);
    await client.sendNonsense?.();
    equal((await use(client, "echo", { text: "on" })).text, "on");
  });

  check("gives back a big result, whole or with the way to the rest", async ({ connect }) => {
    const { text } = await use(await connect(), "big", {});
    if (text.length < BIG) has(text, "read_result");
    has(text, "x".repeat(1_000));
  });

  check("keeps the calls and sessions of two clients apart", async ({ connect }) => {
    const clients = [await connect(), await connect()];
    const texts = await Promise.all(
      clients.flatMap((client, index) =>
        Array.from({ length: 20 }, async (_, call) => {
          const text = `${index} ${call}`;
          return [text, (await use(client, "echo", { text })).text];
        }),
      ),
    );
    for (const [asked, answered] of texts) equal(answered, asked);
    if (clients[0]!.sharesSession) return;
    const [one, other] = await Promise.all(clients.map((client) => use(client, "where", {})));
    if (one!.text === other!.text) throw new Error("Two clients are in one session");
  });
}
