import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { ToolNode } from "@langchain/langgraph/prebuilt";

/**
 * The loop of an agent as LangGraph has it, with its own tool node and SQLite checkpointer: so many turns with one call
 * each, then an answer. `firm` is written to the disk before the next step, as a store that survives a power cut must.
 */
export function createGraph(file, { turns, firm }) {
  const look = tool(() => "Seen.", { name: "look", description: "Looks", schema: { type: "object", properties: {} } });
  const checkpointer = SqliteSaver.fromConnString(file);
  if (firm) checkpointer.db.pragma("synchronous = FULL");
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("agent", ({ messages }) => ({ messages: [answer(messages.length >> 1, turns)] }))
    .addNode("tools", new ToolNode([look]))
    .addEdge(START, "agent")
    .addConditionalEdges("agent", ({ messages }) => (messages.at(-1).tool_calls.length > 0 ? "tools" : END))
    .addEdge("tools", "agent")
    .compile({ checkpointer });
  return {
    async run() {
      const { messages } = await graph.invoke(
        { messages: [{ role: "user", content: "Go" }] },
        {
          configurable: { thread_id: crypto.randomUUID() },
          recursionLimit: 2 * turns + 2,
          ...(firm && { durability: "sync" }),
        },
      );
      if (messages.length !== 2 * turns + 2) throw new Error(`The graph ended after ${messages.length} messages`);
    },
    close: () => checkpointer.db.close(),
  };
}

function answer(turn, turns) {
  if (turn >= turns) return new AIMessage("Done.");
  return new AIMessage({ content: "", tool_calls: [{ id: `c${turn}`, name: "look", args: { n: turn } }] });
}
