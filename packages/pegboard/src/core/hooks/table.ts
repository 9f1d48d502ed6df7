import type { Hooks } from "@pegboard/contract";

/** What the answer of a hook counts for, what its failure means, and how long it may take. */
export type HookKind = "gate" | "chain" | "answer" | "validate" | "observe";

/** The points at which hooks take part. */
export type HookPoint = Exclude<keyof Hooks, "priority">;

/** The kind of every point. */
export const HOOK_KINDS: { readonly [Point in HookPoint]: HookKind } = {
  beforeCall: "gate",
  afterCall: "chain",
  runStarted: "observe",
  message: "observe",
  answerPrompt: "answer",
  changePrompt: "chain",
  beforeTurn: "gate",
  changeAnswer: "chain",
  runEnded: "observe",
  taskCreated: "observe",
  validateTask: "validate",
  taskFailed: "observe",
  broadcast: "observe",
  settingsChanged: "observe",
};

const POINTS = Object.keys(HOOK_KINDS) as HookPoint[];

/** Hooks, and the plugin that brought them; without one they are the host's own. */
export interface HookOwner {
  readonly plugin?: string;
  readonly hooks: Hooks;
  /** The points at which they do not take part. */
  readonly off?: readonly string[];
}

/** One hook at its point. */
export interface BoundHook<Point extends HookPoint = HookPoint> {
  readonly point: Point;
  readonly plugin?: string;
  readonly run: NonNullable<Hooks[Point]>;
}

/** The hooks at every point, in the order in which they take part. */
export type HookTable = { readonly [Point in HookPoint]: readonly BoundHook<Point>[] };

/** Puts hooks in their order: by priority, then as they are given. What is no function is left out. */
export function toHookTable(owners: readonly HookOwner[]): HookTable {
  const ordered = owners.toSorted((a, b) => (a.hooks.priority ?? 0) - (b.hooks.priority ?? 0));
  return Object.fromEntries(
    POINTS.map((point) => [point, ordered.flatMap((owner) => bind(point, owner))]),
  ) as unknown as HookTable;
}

/** A table without the hooks of some plugins; the same one when there are none of them. */
export function withoutPlugins(table: HookTable, isOut: (plugin: string) => boolean): HookTable {
  const isIn = ({ plugin }: BoundHook) => plugin === undefined || !isOut(plugin);
  if (POINTS.every((point) => table[point].every(isIn))) return table;
  return Object.fromEntries(POINTS.map((point) => [point, table[point].filter(isIn)])) as unknown as HookTable;
}

function bind<Point extends HookPoint>(point: Point, { plugin, hooks, off }: HookOwner): BoundHook<Point>[] {
  const hook = hooks[point] as unknown;
  if (typeof hook !== "function" || off?.includes(point)) return [];
  const run = hook.bind(hooks) as BoundHook<Point>["run"];
  return [{ point, ...(plugin !== undefined && { plugin }), run }];
}
