import {
  client as createClient,
  type ClientCapabilities,
  type ClientContext,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { createRuntime, defineTool, type Runtime, type RuntimeOptions } from "../../../src/index.ts";
import { scriptedModel, type Turn } from "../../../src/testing/index.ts";
import type { AcpDoorOptions } from "../../../src/transports/acp/door-options.ts";
import { type AcpConnection, serveAcp } from "../../../src/transports/acp/door.ts";
import { createDesk, type Desk, type DeskOptions } from "../../../src/transports/desk.ts";

const echo = defineTool({
  name: "echo",
  description: "Says it again",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  approval: "preApproved",
  execute: ({ text }) => text,
});

const danger = defineTool({
  name: "danger",
  description: "Does something that cannot be undone",
  input: { type: "object", properties: { what: { type: "string" } } },
  approval: "ask",
  summary: ({ what = "it" }) => `Destroy ${what}`,
  execute: ({ what = "it" }) => `${what} is gone`,
});

/** A desk on which an agent says these turns, for one test. */
export interface Stage {
  readonly desk: Desk;
  readonly runtime: Runtime;
  close(): Promise<void>;
}

export function openStage(turns: readonly Turn[], more: RuntimeOptions = {}, options: DeskOptions = {}): Stage {
  const runtime = createRuntime({ tools: [echo, danger], model: scriptedModel(turns), ...more });
  const desk = createDesk(runtime, options);
  return {
    desk,
    runtime,
    async close() {
      await desk.close(AbortSignal.abort());
      await runtime.close();
    },
  };
}

/** What a client does when it is asked, and what it can do. */
export interface ClientSettings extends Partial<AcpDoorOptions> {
  readonly capabilities?: ClientCapabilities;
  readonly principal?: string;
  /** Keeps the client from reading on until it resolves. */
  pause?(): Promise<void> | undefined;
  permit?(
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ): RequestPermissionResponse | Promise<RequestPermissionResponse>;
  /** Answers what else the client is asked; the methods of the protocol by name. */
  readonly answers?: Readonly<Record<string, (params: any) => unknown>>;
}

/** A client of the official SDK that has said hello. */
export interface TestClient {
  readonly agent: ClientContext;
  readonly updates: SessionUpdate[];
  readonly asked: RequestPermissionRequest[];
  readonly served: AcpConnection;
  /** Opens a session and resolves to its id. */
  open(): Promise<string>;
  prompt(sessionId: string, text: string): Promise<string>;
  /** The words of the agent, joined. */
  said(): string;
  /** The updates of one kind. */
  of<Kind extends SessionUpdate["sessionUpdate"]>(kind: Kind): Extract<SessionUpdate, { sessionUpdate: Kind }>[];
  /** Hangs up. */
  close(): void;
}

/** Answers with one of the options. */
export function choose(optionId: string): RequestPermissionResponse {
  return { outcome: { outcome: "selected", optionId } };
}

export async function connectClient({ desk }: Pick<Stage, "desk">, settings: ClientSettings = {}): Promise<TestClient> {
  const { principal = "ann", pause } = settings;
  const there = new TransformStream<Uint8Array>();
  const back = new TransformStream<Uint8Array>({
    async transform(chunk, controller) {
      await pause?.();
      controller.enqueue(chunk);
    },
  });
  const served = serveAcp(
    { readable: there.readable, writable: back.writable },
    { id: principal },
    {
      name: "pegboard",
      version: "1.0.0",
      desk: async () => desk,
      ...settings,
    },
  );
  const client = await speak(ndJsonStream(there.writable, back.readable), settings);
  const close = () => {
    client.close();
    void there.writable.close();
  };
  return { ...client, served, close };
}

/** Says hello on a stream, as the official SDK does. */
export async function speak(
  stream: ReturnType<typeof ndJsonStream>,
  { capabilities = {}, permit = () => choose("once"), answers = {} }: ClientSettings,
  cwd = "/some/place",
): Promise<Omit<TestClient, "served">> {
  const updates: SessionUpdate[] = [];
  const asked: RequestPermissionRequest[] = [];
  const app = createClient({ name: "test" })
    .onNotification("session/update", ({ params }) => void updates.push(params.update))
    .onRequest("session/request_permission", ({ params, signal }) => {
      asked.push(params);
      return permit(params, signal);
    });
  for (const [method, answer] of Object.entries(answers))
    app.onRequest(
      method,
      (params: unknown) => params,
      ({ params }) => answer(params),
    );
  const connection = app.connect(stream);
  const { agent } = connection;
  await agent.request("initialize", { protocolVersion: 1, clientCapabilities: capabilities });
  const of: TestClient["of"] = (kind) => updates.filter((update) => update.sessionUpdate === kind) as never;
  return {
    agent,
    updates,
    asked,
    of,
    open: async () => (await agent.request("session/new", { cwd, mcpServers: [] })).sessionId,
    prompt: async (sessionId, text) =>
      (await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] })).stopReason,
    said: () =>
      of("agent_message_chunk").reduce((all, { content }) => all + (content.type === "text" ? content.text : ""), ""),
    close: () => connection.close(),
  };
}
