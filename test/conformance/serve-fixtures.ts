import { attachMcpServer, createRuntime, type Runtime } from "pegboard";
import { createLocalMcpPool, startServer } from "pegboard/node";
import { createFixturePlugin } from "./fixture-plugin.ts";
import { createFront, type Listening } from "./front.ts";

const TOKEN = "a-token-of-a-test-that-nobody-guesses-0000";

/** A real server of ours whose tools, prompts, resources and skills are those of the fixture plugin. */
export async function serveFixtures(): Promise<Listening> {
  const runtime = createOpenRuntime("conformance");
  const [added] = await runtime.plugins.add({ plugin: createFixturePlugin(runtime) });
  if (added!.status !== "healthy") throw new Error(`The fixture plugin is ${added!.status}: ${JSON.stringify(added)}`);
  return serve(runtime);
}

/** A real server of ours that has nothing of its own: everything comes from another server, by our own source. */
export async function serveGateway(upstream: string): Promise<Listening> {
  const runtime = createOpenRuntime("upstream");
  const pool = createLocalMcpPool();
  const { tools: board, prompts, resources } = runtime;
  const attached = attachMcpServer(board, "upstream", { url: upstream, type: "http" }, { pool, prompts, resources });
  await attached.ready;
  if (attached.problem !== undefined) throw new Error(attached.problem);
  const server = await serve(runtime);
  return {
    url: server.url,
    async close() {
      attached[Symbol.dispose]();
      await server.close();
      await pool[Symbol.asyncDispose]();
    },
  };
}

/** A runtime without tools of its own, whose policy lets everything of one source pass. */
function createOpenRuntime(toolset: string): Runtime {
  return createRuntime({ builtins: false, policy: { rules: [{ toolset, approval: "preApproved" }] } });
}

async function serve(runtime: Runtime): Promise<Listening> {
  const server = await startServer(runtime, { token: TOKEN, port: 0, bareNames: true });
  const front = await createFront(server.port, TOKEN);
  return {
    url: front.url,
    async close() {
      await front.close();
      await server.close(AbortSignal.abort());
      await runtime.close();
    },
  };
}
