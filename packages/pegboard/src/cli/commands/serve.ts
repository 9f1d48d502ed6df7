import { parseDuration } from "../../core/duration.ts";
import { messageOf, PegboardError } from "../../core/error.ts";
import type { RunningServer } from "../../node/serve/serve-runtime.ts";
import { startServer } from "../../node/serve/server.ts";
import { readSealKey, readToken, tokenFile } from "../../node/serve/token.ts";
import { askServer, toUrl } from "../ask-server.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { openServed } from "../open-served.ts";
import { type ServerAddress, serverAddress } from "../server-address.ts";
import { toSettings } from "../settings.ts";
import { watchStopSignals } from "../stop-signals.ts";
import { type Terminal, visibleLine } from "../terminal.ts";
import { closeWorkspace } from "../workspace.ts";

/** How long what is at work may go on when the server is to end; then it is cancelled. */
const DRAIN_MS = 4_000;
/** How long cancelling and the last answers may take: what hangs is left behind. */
const CANCEL_MS = 2_500;

/** Serves a workspace until the process is told to end, or asks the server that does. */
export async function serve(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  const address = await serverAddress(input);
  const home = toSettings(options).home.value;
  if (options["health"]) return showHealth(address, home, input);
  if (options["link"]) return showLink(address, home, input);
  const rate = toRate(options["rate"]);
  const drainMs = toDrain(options["drain"]);
  const token = readToken(home);
  const { workspace, settings } = await openServed(input);
  using signals = watchStopSignals();
  try {
    const approve = settings.approve.value;
    const server = await startServer(workspace, {
      ...address,
      token,
      sealKey: readSealKey(home),
      allowRemote: options["allowRemote"] === true,
      hosts: (options["allowHost"] as readonly string[] | undefined) ?? [],
      origins: (options["allowOrigin"] as readonly string[] | undefined) ?? [],
      agents: options["agents"] !== false,
      failed: (error) => terminal.warn(`warning: a request failed: ${visibleLine(messageOf(error))}`),
      ...(rate !== undefined && { rate }),
      ...(approve && approve !== "ask" && { approve }),
    });
    show(server, home, input);
    await signals.stopped;
    terminal.note("Ending: what is at work may take a few seconds more; once more ends it at once");
    await endInTime(server, drainMs, terminal);
    return EXIT.done;
  } finally {
    await closeWorkspace(workspace, terminal);
  }
}

function show(server: RunningServer, home: string, { options, terminal }: CommandInput): void {
  const { url, port } = server;
  if (options.json) terminal.print(JSON.stringify({ url, port, pid: process.pid, token: tokenFile(home) }));
  terminal.note(`Pegboard listens at ${url}: MCP at /mcp, our own protocol at /v1, WebSockets of both at /ws`);
  terminal.note(`The token is in ${tokenFile(home)}; send it as Authorization: Bearer <token>`);
  // A link is as good as the token: not for logs.
  if (terminal.interactive) terminal.note(`For a browser, once: ${server.link()}`);
}

async function endInTime(server: RunningServer, drainMs: number, terminal: Terminal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<true>((resolve) => (timer = setTimeout(() => resolve(true), drainMs + CANCEL_MS)));
  if (await Promise.race([server.close(AbortSignal.timeout(drainMs)), late]))
    terminal.warn("warning: something did not end in time, and is left behind");
  clearTimeout(timer);
}

interface Health {
  readonly status: string;
  readonly plugins: readonly { readonly name: string; readonly status: string; readonly reason?: string }[];
}

async function showHealth(address: ServerAddress, home: string, { options, terminal }: CommandInput): Promise<number> {
  const { status, body } = await askServer(address, home, "GET", "/health");
  if (options.json) terminal.print(JSON.stringify(body, null, 2));
  else if (status === 200 || status === 503) {
    const { status: word, plugins } = body as Health;
    terminal.print(`${toUrl(address)}: ${word}`);
    for (const { name, status: its, reason } of plugins)
      terminal.print(visibleLine(`  ${name}: ${its}${reason === undefined ? "" : ` (${reason})`}`));
  } else terminal.warn(`${toUrl(address)} answers ${status}: ${visibleLine(JSON.stringify(body))}`);
  return status === 200 ? EXIT.done : EXIT.failed;
}

async function showLink(address: ServerAddress, home: string, { options, terminal }: CommandInput): Promise<number> {
  const { status, body } = await askServer(address, home, "POST", "/links");
  if (status !== 201) {
    terminal.warn(`${toUrl(address)} answers ${status}: ${visibleLine(JSON.stringify(body))}`);
    return EXIT.failed;
  }
  const link = toUrl(address) + (body as { readonly path: string }).path;
  terminal.print(options.json ? JSON.stringify({ link }) : link);
  return EXIT.done;
}

function toRate(given: unknown): number | undefined {
  if (given === undefined) return undefined;
  const rate = Number(given);
  if (rate >= 1 && Number.isFinite(rate)) return rate;
  throw new PegboardError("invalid_config", `--rate must be a number of requests, 1 or more; it is "${String(given)}"`);
}

function toDrain(given: unknown): number {
  if (given === undefined) return DRAIN_MS;
  const time = parseDuration(String(given));
  if (time !== undefined) return time;
  throw new PegboardError("invalid_config", `--drain must be a time such as 4s or 1m; it is "${String(given)}"`);
}
