import type { Agent } from "@pegboard/contract";
import { canonicalJson } from "../core/json.ts";
import type { Model, Models } from "../core/model.ts";
import type { AgentRun } from "./agent-run.ts";
import { chooseModel } from "./choose-model.ts";
import type { Pool, PoolKey } from "./pool.ts";

/** What of an agent is kept warm between its runs. Nothing that a run heard or said is in it. */
export interface WarmAgent {
  readonly model: Model;
}

/** What warm agents are made with. */
export interface WarmModelDeps {
  readonly models: Models;
  readonly pool: Pool<WarmAgent>;
}

/** An agent that is to run, and the models of which the first that is named is its own. */
export interface ColdAgent {
  readonly agent: Agent;
  readonly plugin?: string | undefined;
  readonly named: readonly (string | Model | undefined)[];
}

/** The model of an agent, lent to the run until it ends. Rejects as `chooseModel` does. */
export async function warmModel(run: AgentRun, cold: ColdAgent, { models, pool }: WarmModelDeps): Promise<Model> {
  const { agent, plugin, named } = cold;
  const key: PoolKey = {
    session: run.workbench.session.id,
    ...(plugin !== undefined && { plugin }),
    agent: agent.name,
    config: canonicalJson([agent, named.map((model) => (typeof model === "object" ? numberOf(model) : model))]),
  };
  const make = async () => ({ model: await chooseModel(agent, named, models) });
  const lease = await pool.acquire(key, make, (warning) => run.warn(warning));
  run.hold(lease);
  return lease.value.model;
}

// Two models may have one id, and are two all the same.
const numbers = new WeakMap<Model, number>();
let lastNumber = 0;

function numberOf(model: Model): number {
  const number = numbers.get(model) ?? ++lastNumber;
  numbers.set(model, number);
  return number;
}
