import {
  type Agent,
  createRuntime,
  defineTool,
  type Event,
  type Json,
  type OpenOptions,
  type RuntimeOptions,
  scriptedModel,
  type Tool,
  type Turn,
} from "pegboard";

/** Agents by name, with what each of them says. */
export type Cast = Readonly<Record<string, Partial<Agent> & { readonly says: readonly Turn[] }>>;

/** Puts agents on a stage: each, and each prompt tool, is told that it is "the <name>" and plays its own script. */
export function stage(cast: Cast, options: RuntimeOptions = {}, open: OpenOptions = { approve: "all" }) {
  const agents = Object.entries(cast).map(([name, { says: _says, ...more }]) => ({
    name,
    description: `Is ${name}`,
    instructions: `You are the ${name}.`,
    ...more,
  }));
  const scripts = Object.entries(cast).flatMap(([name, { says: turns }]) => [
    { when: { system: `You are the ${name}.` }, turns },
    { when: { system: `You are the tool "${name}"` }, turns },
  ]);
  const model = scriptedModel({ scripts });
  const runtime = createRuntime({ model, agents, ...options });
  const session = runtime.open(open);
  const requestsOf = (name: string) => model.requests.filter(({ system }) => system.includes(`the ${name}.`));
  /** What an agent was told in its last request, message by message. */
  const heardBy = (name: string) => requestsOf(name).at(-1)?.messages.map(textOf) ?? [];
  /** The whole log of the session so far. */
  const log = () => runtime.store.read({ session: session.id });
  return { runtime, session, model, requestsOf, heardBy, log };
}

/** A turn that makes one call. */
export function call(tool: string, input: Json = {}): Turn {
  return { calls: [{ tool, input }] };
}

/** Everything that a message says. */
export function textOf(message: {
  readonly role: string;
  readonly content?: unknown;
  readonly results?: unknown;
}): string {
  const parts = (message.results as { content: unknown[] }[] | undefined)?.flatMap(({ content }) => content);
  return ((parts ?? message.content) as { text?: string }[]).map(({ text = "" }) => text).join("\n");
}

/** The events of one type. */
export function ofType<Type extends Event["type"]>(events: readonly Event[], type: Type) {
  return events.filter((event): event is Extract<Event, { type: Type }> => event.type === type);
}

/** A tool that holds whoever calls it up until it is let go, or cancelled; and who is in it. */
export function holding(name = "hold") {
  const { promise, resolve } = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const inside = new Set<string>();
  let most = 0;
  const tool = defineTool({
    name,
    description: "Holds up",
    input: { type: "object" },
    capabilities: ["read"],
    async execute(_, { signal, callId }) {
      inside.add(callId);
      most = Math.max(most, inside.size);
      entered.resolve();
      const aborted = new Promise<never>((_resolve, reject) => signal.addEventListener("abort", reject));
      try {
        await Promise.race([promise, aborted]);
        return "let go";
      } finally {
        inside.delete(callId);
      }
    },
  }) as Tool;
  return { tool, letGo: resolve, entered: entered.promise, inside, most: () => most };
}
