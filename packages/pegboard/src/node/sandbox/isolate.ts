import type { Json, SessionView, ToolContext, ToolInstance } from "@pegboard/contract";
import { PegboardError } from "../../core/error.ts";
import { canonicalJson } from "../../core/json.ts";
import type { Recipe } from "../load-recipe.ts";
import { toClientView } from "./client-line.ts";
import { keyOf, Life, type LifeDeps } from "./life.ts";
import type { SentTools, ToolRef } from "./protocol.ts";

/** What an isolate is made of. */
export interface IsolateDeps extends LifeDeps {
  /** The code yields other tools than it was said to: whoever lists them has to look again. */
  changed(recipe: Recipe): void;
}

const ASK_MS = 5_000;
const OPEN_MS = 30_000;

/**
 * One process or thread in which the code of one source runs. It is started when it is needed and again after it has
 * ended. What is under way when it ends fails; nothing of it reaches others.
 */
export class Isolate {
  readonly #deps: IsolateDeps;
  readonly #expected = new Map<string, string>();
  /** Those that end once their calls have. */
  readonly #leaving = new Set<Promise<Life>>();
  #life: Promise<Life> | undefined;
  #closed = false;

  constructor(deps: IsolateDeps) {
    this.#deps = deps;
  }

  /** Runs the code and asks for its tools. Rejects when it cannot be had. */
  async load(recipe: Recipe): Promise<SentTools> {
    const sent = await (await this.#start()).load(recipe);
    this.expect(recipe, sent);
    return sent;
  }

  /** Says what the code is known to yield, without running it: when it runs and yields something else, no call is made. */
  expect(recipe: Recipe, sent: SentTools): void {
    this.#expected.set(keyOf(recipe), toComparable(sent));
  }

  /** Starts the code, if it does not run. Rejects with `unavailable` when it cannot, or when its tools have changed. */
  async prepare(recipe: Recipe): Promise<void> {
    await this.enter(recipe);
  }

  /** The same, for whoever speaks with what runs now. */
  enter(recipe: Recipe): Promise<Life> {
    return this.#ready(recipe);
  }

  /** What comes next has another process; this one ends now, or when nothing is under way any more. */
  async renew(when: "now" | "quiet"): Promise<void> {
    const life = this.#life;
    if (!life) return;
    this.#life = undefined;
    this.#leaving.add(life);
    await end(life, when);
    this.#leaving.delete(life);
  }

  async execute(tool: ToolRef, input: Json, context: ToolContext, instance?: number): Promise<unknown> {
    const life = await this.#ready(tool.recipe);
    const { callId, session, agent } = context;
    const view = { callId, session, ...(agent && { agent }) };
    return life.request(
      {
        type: "execute",
        tool,
        input,
        context: view,
        ...toClientView(context.client),
        ...(instance !== undefined && { instance }),
      },
      { context },
    );
  }

  /** Asks the tool's own approval or summary function. Rejects when it does not answer in time. */
  async ask(type: "approval" | "summary", tool: ToolRef, input: Json): Promise<unknown> {
    const life = await this.#ready(tool.recipe);
    return life.request({ type, tool, input }, { timeoutMs: ASK_MS });
  }

  /** Opens a tool for a session. When the process has ended meanwhile, the next call opens it anew. */
  async open(tool: ToolRef, session: SessionView): Promise<ToolInstance> {
    const enter = async () => {
      const life = await this.#ready(tool.recipe);
      const id = (await life.request({ type: "open", tool, session }, { timeoutMs: OPEN_MS })) as number;
      life.keep(id);
      return { life, id };
    };
    let entered = await enter();
    return {
      execute: async (input, context) => {
        if (entered.life.isOver) entered = await enter();
        return this.execute(tool, input as Json, context, entered.id);
      },
      [Symbol.asyncDispose]: async () => {
        const { life, id } = entered;
        if (life.isOver) return;
        life.release(id);
        await life.request({ type: "dispose", instance: id }, { timeoutMs: ASK_MS });
      },
    };
  }

  /** Ends it when nothing is under way any more. */
  async retire(): Promise<void> {
    await this.#end("quiet");
  }

  /** Ends it now. What is under way fails. */
  async close(): Promise<void> {
    await this.#end("now");
  }

  async #end(when: "now" | "quiet"): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#leaving, this.#life].map((life) => end(life, when)));
  }

  async #ready(recipe: Recipe): Promise<Life> {
    const life = await this.#start();
    const sent = await life.load(recipe);
    const expected = this.#expected.get(keyOf(recipe));
    if (expected === undefined || expected === toComparable(sent)) return life;
    this.#deps.changed(recipe);
    throw new PegboardError(
      "unavailable",
      `The tools of ${this.#deps.label} are not the ones that were listed: list them again`,
      { retryable: true },
    );
  }

  #start(): Promise<Life> {
    if (this.#closed) return Promise.reject(new PegboardError("unavailable", `${this.#deps.label} has been closed`));
    if (!this.#life) {
      const life = Life.begin(this.#deps, () => {
        if (this.#life === life) this.#life = undefined;
      });
      this.#life = life;
      life.catch(() => (this.#life = undefined));
    }
    return this.#life;
  }
}

async function end(starting: Promise<Life> | undefined, when: "now" | "quiet"): Promise<void> {
  const life = await starting?.catch(() => undefined);
  if (when === "quiet") await life?.whenQuiet();
  await life?.close();
}

function toComparable({ tools, plugin }: SentTools): string {
  return canonicalJson({ tools, ...(plugin && { plugin }) });
}
