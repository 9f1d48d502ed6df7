import type { AgentEntry } from "../agents/catalog.ts";
import type { Chat } from "../core/chat.ts";
import type { Workspace } from "../node/workspace.ts";
import type { ChatApproval } from "./chat-approval.ts";
import { type CommandRun, hasCommand, toCommandRun } from "./command-run.ts";
import { describePool } from "./pool-view.ts";
import { describeSpent } from "./run-result.ts";
import { type Cell, toLines } from "./table.ts";
import { type Terminal, visibleLine } from "./terminal.ts";

/** A chat as its commands see and change it. */
export interface ChatState {
  readonly agent: string;
  readonly conversation: Chat;
  readonly workspace: Workspace;
  readonly approval: ChatApproval;
  readonly terminal: Terminal;
  /** Over the agent's own. */
  model: string | undefined;
  /** What the conversation took so far. */
  spent: Spent;
}

/** What a conversation took. */
export interface Spent {
  readonly prompts: number;
  readonly usage: { readonly input: number; readonly output: number };
  readonly cost: number;
}

/** Of a conversation that has not begun. */
export const NOTHING_SPENT: Spent = { prompts: 0, usage: { input: 0, output: 0 }, cost: 0 };

/** A command of a chat, as it was typed. */
export interface ChatCommand {
  readonly name: string;
  readonly argument: string;
}

/** A prompt that a command came to, and what its run may use. */
export type ChatPrompt = Omit<CommandRun, "agent">;

/** The command that a text is, or undefined for a prompt: a path, and several lines, are no command. */
export function parseChatCommand(text: string): ChatCommand | undefined {
  const match = /^\/([A-Za-z][A-Za-z0-9_:-]*)(?:[ \t]+(\S.*))?$/.exec(text.trim());
  return match ? { name: match[1]!, argument: match[2] ?? "" } : undefined;
}

/**
 * Obeys a command. Resolves to "leave" when the chat is over, and to a prompt for a command that is one; rejects when it
 * cannot be obeyed.
 */
export async function obeyChatCommand(
  { name, argument }: ChatCommand,
  state: ChatState,
): Promise<"leave" | "stay" | ChatPrompt> {
  const command = COMMANDS.find((one) => one.name === name);
  if (command) return (await command.obey(state, argument)) ?? "stay";
  if (hasCommand(state.workspace, name)) {
    // Whoever talks with an agent goes on with it.
    const { agent: _, ...prompt } = await toCommandRun(state.workspace, name, argument);
    return prompt;
  }
  state.terminal.warn(`There is no /${name}; /help shows what there is`);
  return "stay";
}

interface CommandEntry {
  readonly name: string;
  readonly takes?: string;
  readonly does: string;
  obey(state: ChatState, argument: string): Promise<"leave" | void> | "leave" | void;
}

const COMMANDS: readonly CommandEntry[] = [
  {
    name: "new",
    does: "begin a new conversation: nothing of this one is remembered",
    async obey(state) {
      await state.conversation.clear();
      state.terminal.note(`A new conversation. The last one took ${describeSpent(state.spent)}`);
      state.spent = NOTHING_SPENT;
    },
  },
  {
    name: "tools",
    does: "show the tools that the agent has now",
    async obey({ workspace, agent, terminal }) {
      const rows = toolRows(await workspace.agents.resolve(agent), workspace, terminal);
      for (const line of toLines(rows, terminal.columns)) terminal.print(line);
    },
  },
  {
    name: "approve",
    takes: "[ask|all|none]",
    does: "show or change what happens when a call asks; what is blocked stays blocked",
    obey({ approval, terminal }, mode) {
      if (mode !== "") approval.change(mode);
      terminal.note(`When a call asks: ${approval.mode}`);
    },
  },
  {
    name: "model",
    takes: "[model]",
    does: "show or change the model: provider:model, or an alias",
    obey(state, model) {
      if (model !== "") state.model = model;
      state.terminal.note(`The model: ${state.model === undefined ? "the agent's own" : visibleLine(state.model)}`);
    },
  },
  {
    name: "pool",
    does: "show the agents that are kept warm",
    obey({ workspace, terminal }) {
      for (const line of describePool(workspace.pool.stats, terminal)) terminal.print(line);
    },
  },
  {
    name: "help",
    does: "show this",
    obey({ terminal, workspace }) {
      const rows = COMMANDS.map(({ name, takes = "", does }) => [{ text: `/${name} ${takes}`.trim() }, { text: does }]);
      const keys = [
        [{ text: "Ctrl-C" }, { text: "cancel the answer; twice: leave" }],
        [{ text: "Ctrl-D" }, { text: "leave" }],
      ];
      const others = workspace.commands
        .list()
        .map(({ id, item }) => [
          { text: visibleLine(`/${id} ${item.argumentHint ?? ""}`.trim()) },
          { text: visibleLine(item.description.split("\n", 1)[0]!) },
        ]);
      for (const line of toLines([...rows, ...others, ...keys], terminal.columns)) terminal.print(line);
    },
  },
  { name: "exit", does: "leave", obey: () => "leave" },
];

function toolRows(
  { agent, source }: AgentEntry,
  workspace: Workspace,
  { style }: Terminal,
): readonly (readonly Cell[])[] {
  const { name, tools, promptTools = [], toolsets = {} } = agent;
  const session = workspace.open({
    as: "model",
    client: "cli",
    agent: { name, ...(tools && { tools }), ...(source.plugin !== undefined && { plugin: source.plugin }) },
  });
  const seen = session.list();
  void session.close();
  const row = (tool: string, approval: string, description: string): readonly Cell[] => [
    { text: visibleLine(tool), show: (text) => style("bold", text) },
    { text: approval, show: (text) => style(approval === "ask" ? "yellow" : "green", text) },
    { text: visibleLine(description.split("\n", 1)[0]!), show: (text) => style("dim", text) },
  ];
  return [
    ...promptTools.map((tool) => row(tool.name, "preApproved", `(a prompt of its own) ${tool.description}`)),
    ...Object.keys(toolsets).map((key) => row(`${key}__*`, "", "(a toolset of its own, loaded when it runs)")),
    ...seen.map((tool) => row(tool.name, tool.approval, tool.description)),
  ];
}
