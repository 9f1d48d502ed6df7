import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { onTestFinished } from "vitest";
import { finish, type Outcome, type Place } from "./run.ts";

/** A server of a place that runs. */
export interface Started {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** The file of its token. */
  readonly token: string;
  readonly child: ChildProcess;
  readonly ended: Promise<Outcome>;
  /** Asks it, as the person whose server it is. */
  ask(path: string, body?: object): Promise<Response>;
}

/** Starts a server on a free port; it is gone when the test is over. */
export async function startServing(place: Place, ...argv: readonly string[]): Promise<Started> {
  const child = place.start({}, "serve", "--port", "0", "--json", ...argv);
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = finish(child);
  const [line] = (await Promise.race([once(child.stdout!, "data"), ended.then(fail)])) as [Buffer];
  const started = JSON.parse(line.toString()) as Pick<Started, "url" | "port" | "pid" | "token">;
  if (started.url === undefined) return ended.then(fail);
  const authorization = `Bearer ${readFileSync(started.token, "utf8").trim()}`;
  return {
    ...started,
    child,
    ended,
    ask: (path, body) =>
      fetch(started.url + path, {
        ...(body && { method: "POST", body: JSON.stringify(body) }),
        headers: { authorization, ...(body && { "content-type": "application/json" }) },
      }),
  };
}

function fail({ stderr }: Outcome): never {
  throw new Error(`The server ended: ${stderr}`);
}
