import type { Contestant } from "../measure.ts";
import { ANSWER } from "../search-tool.ts";

/** One way to call the same tools, set up and ready. */
export interface Peer extends AsyncDisposable {
  readonly name: string;
  /** Calls tool number `index` once and resolves to the text that it answered. */
  call(index: number): Promise<string>;
  /** Forgets what calls have left behind. Not part of what is timed. */
  renew?(): Promise<void>;
}

/** The peer as a contestant that calls these tools in turn. Rejects when one of them does not answer what it should. */
export async function toContestant(peer: Peer, tools: readonly number[] = [0]): Promise<Contestant> {
  for (const tool of tools) {
    const answer = await peer.call(tool);
    if (answer !== ANSWER)
      throw new Error(`${peer.name} answered ${JSON.stringify(answer)} instead of ${JSON.stringify(ANSWER)}`);
  }
  const { name, renew } = peer;
  return { name, run: (index) => peer.call(tools[index % tools.length]!), ...(renew && { renew }) };
}
