import type { Agent } from "@pegboard/contract";
import { PegboardError } from "../core/error.ts";
import type { Paid } from "../core/event.ts";
import type { Message, Model, ModelTool, Usage } from "../core/model.ts";
import type { AgentTools, ToolTurn } from "../core/workbench.ts";
import type { AgentRun } from "./agent-run.ts";
import { AnswerPieces } from "./answer-pieces.ts";
import type { ContextWindow } from "./context-window.ts";
import { toModelRequest, toModelTool } from "./model-request.ts";
import { takeTurn, type Turn } from "./turn.ts";

/** What a model is asked with. */
export interface ModelTurnsDeps {
  readonly run: AgentRun;
  readonly agent: Agent;
  readonly model: Model;
  readonly tools: AgentTools;
  /** Leaves out what would be denied because nobody is there to ask. */
  readonly hideDenied: boolean;
  readonly window: ContextWindow;
  /** Counts what was used. */
  charge(usage: Usage): Paid;
}

/** Asks the model for one answer after another, and puts each on record. */
export class ModelTurns {
  readonly #deps: ModelTurnsDeps;
  #tools: ToolTurn | undefined;
  #modelTools: readonly ModelTool[] = [];

  constructor(deps: ModelTurnsDeps) {
    this.#deps = deps;
  }

  /** The tools that the model was last told of: what was listed is what may be called. */
  get tools(): ToolTurn {
    return this.#tools ?? this.#deps.tools.turn;
  }

  /** Asks again, once, with less when the request was longer than the provider takes. */
  async ask(turn: number): Promise<Turn> {
    try {
      return await this.#ask(turn);
    } catch (error) {
      if (!isTooLong(error) || !(await this.#deps.window.shrink())) throw error;
      return this.#ask(turn);
    }
  }

  async #ask(turn: number): Promise<Turn> {
    const { run, agent, model, window, charge } = this.#deps;
    const changed = this.#look();
    run.mention("turn-start", { turn, ...(changed && { tools: this.#modelTools.map(({ name }) => name) }) });
    const startedAt = performance.now();
    const pieces = new AnswerPieces(run, turn);
    let wasted: Paid | undefined;
    const answer = await takeTurn(model, toModelRequest(agent, model, window.messages, this.#modelTools), {
      control: run.control,
      silenceMs: run.workbench.limits.modelSilenceMs,
      delta: (piece) => pieces.tell(piece),
      wasted: (usage) => void (wasted = charge(usage)),
      retrying: (retry, waitMs, { code, message }) => {
        pieces.beginAgain();
        run.mention("turn-progress", { turn, retry, waitMs, error: { code, message }, ...wasted });
        wasted = undefined;
      },
    });
    pieces.end();
    const { content, reason, usage } = answer;
    const paid = charge(usage);
    const message: Message = { role: "assistant", content };
    window.push(message);
    window.counted(usage);
    if (reason === "length") run.warn(`An answer of ${model.id} was cut at its longest`);
    if (window.isFull)
      run.warn(
        `The conversation fills most of the ${window.most} tokens that ${model.id} takes: its beginning may become a summary`,
      );
    const ms = Math.round((performance.now() - startedAt) * 1000) / 1000;
    await run.record("turn-end", { turn, message, reason, ...paid, ms });
    return answer;
  }

  /** Looks at the tools again. Whether they are others than last time. */
  #look(): boolean {
    const { tools, hideDenied, run } = this.#deps;
    const now = tools.turn;
    if (now === this.#tools) return false;
    this.#tools = now;
    const hides = hideDenied && run.workbench.headless;
    this.#modelTools = now.tools.filter(({ approval }) => !(hides && approval === "ask")).map(toModelTool);
    return true;
  }
}

function isTooLong(error: unknown): boolean {
  if (!(error instanceof PegboardError)) return false;
  const { contextLength } = Object(error.details) as { contextLength?: unknown };
  return contextLength === true;
}
