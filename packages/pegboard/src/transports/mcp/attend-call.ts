import {
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Json } from "@pegboard/contract";
import { toKey } from "./answer-late.ts";
import { ANYTHING } from "./anything.ts";
import { toApprovalForm } from "./approval-form.ts";
import type { OpenAsk } from "./asks.ts";
import type { CallWork } from "./call-work.ts";
import type { ClientCall } from "./client-call.ts";
import type { Question } from "./questions.ts";
import { RequestAttendant } from "./request-attendant.ts";
import { requestDigest } from "./seal.ts";
import type { McpSeat } from "./seat.ts";

/** What a call needs of the server that it came through. */
export type CallServer = Pick<Server, "projectCallToolResult" | "getClientCapabilities" | "elicitInput">;

/** What a client asked for, in its own words: it must say the same when it comes back. */
export interface ClientRequest {
  readonly method: string;
  readonly name: string;
  readonly input: Json;
}

/** What there is to tell a client: a result, a question, who else can answer, or that the call goes on without it. */
export type Outcome<T> =
  | { readonly state: "over"; readonly result: T }
  | { readonly state: "asks"; readonly question: InputRequiredResult }
  | { readonly state: "waits"; readonly waiting: readonly OpenAsk[] }
  | { readonly state: "detached"; readonly call: ClientCall<T> };

/**
 * Does a client's work, and waits with it. What is asked meanwhile goes to the client: in the old era while it waits, in the
 * new one by an answer with which it comes back.
 */
export async function attendCall<T>(
  server: CallServer,
  seat: McpSeat,
  request: ClientRequest,
  work: CallWork<T>,
  context: ServerContext,
): Promise<Outcome<T>> {
  const state: unknown = seat.era === "modern" ? context.mcpReq.requestState() : undefined;
  const call = state === undefined ? begin(seat, work, context) : await comeBack(seat, request, state, work, context);
  const attendant = new RequestAttendant(request.name, server, seat, context);
  for (;;) {
    const standing = await call.attend(attendant);
    if (standing.state === "over") seat.calls.forget(call);
    if (standing.state === "over" || standing.state === "waits") return standing;
    if (standing.state === "detached") return { state: "detached", call };
    const { asks, questions } = standing;
    if (seat.era === "modern")
      return { state: "asks", question: await toQuestion(seat, request, call, asks, questions) };
    for (const ask of asks) void elicit(server, call, ask, context);
    for (const question of questions) void passOn(call, question, context);
  }
}

/** What is asked of a client, by keys under which it answers. */
export function toInputRequests(
  asks: readonly OpenAsk[],
  questions: readonly Question[],
): Readonly<Record<string, InputRequest>> {
  return Object.fromEntries([
    ...asks.map((ask) => [toKey(ask.id), inputRequired.elicit(toApprovalForm(ask))] as const),
    ...questions.map(({ key, method, params }) => [key, { method, params } as InputRequest] as const),
  ]);
}

/** Takes the answers of a client; what it left out is asked again. */
export function takeResponses(
  call: ClientCall<unknown>,
  responses: Readonly<Record<string, unknown>> | undefined,
  options: { readonly partly?: boolean } = {},
): void {
  for (const { id } of call.asks) {
    const response = inputResponse(responses, toKey(id));
    if (response.kind === "elicit") call.answer(id, response);
    else if (!options.partly) call.answer(id, undefined);
  }
  for (const { key } of call.questions.open) {
    const response = responses && Object.hasOwn(responses, key) ? (responses[key] as Json) : undefined;
    if (response !== undefined || !options.partly) call.questions.reply(key, response);
  }
}

function begin<T>({ calls, era }: McpSeat, work: CallWork<T>, { mcpReq }: ServerContext): ClientCall<T> {
  const call = calls.begin(work);
  // A client that knows what will be asked may bring the answer along. Approvals it cannot know.
  if (era === "modern")
    for (const [key, answer] of Object.entries(mcpReq.inputResponses ?? {}))
      call.questions.foresee(key, answer as Json);
  return call;
}

/** The call that a client comes back for, with its answers. Throws when what it hands back is not what it was handed. */
async function comeBack<T>(
  seat: McpSeat,
  { method, name, input }: ClientRequest,
  state: unknown,
  work: CallWork<T>,
  { mcpReq }: ServerContext,
): Promise<ClientCall<T>> {
  const { seal, principal, calls } = seat;
  const handle = typeof state === "string" ? await seal.open(state).catch(() => undefined) : undefined;
  const isTheirs = handle?.principal === principal && handle.digest === (await requestDigest(method, name, input));
  const call = isTheirs ? calls.find(handle.call) : undefined;
  if (isTheirs && !call && handle.approval !== undefined) {
    const late = { approval: handle.approval, tool: work.tool, input: work.input, responses: mcpReq.inputResponses };
    const answer = await seat.answerLate?.(late);
    if (answer) return calls.beginAnswered(work, answer);
  }
  if (!call)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState: ask anew", {
      reason: "invalid_request_state",
    });
  takeResponses(call, mcpReq.inputResponses);
  // The digest says that it is the same request.
  return call as ClientCall<T>;
}

async function toQuestion(
  { seal, principal }: McpSeat,
  { method, name, input }: ClientRequest,
  call: ClientCall<unknown>,
  asks: readonly OpenAsk[],
  questions: readonly Question[],
): Promise<InputRequiredResult> {
  const digest = await requestDigest(method, name, input);
  const approval = asks.length === 1 && questions.length === 0 ? asks[0]!.id : undefined;
  return inputRequired({
    inputRequests: toInputRequests(asks, questions) as Record<string, InputRequest>,
    requestState: await seal.close({ call: call.id, principal, digest, round: call.rounds, approval }),
  });
}

/** Asks the person at the client while the call waits. Never rejects: a client that cannot ask leaves it to others. */
async function elicit(
  server: CallServer,
  call: ClientCall<unknown>,
  ask: OpenAsk,
  { mcpReq }: ServerContext,
): Promise<void> {
  const { id, expiresAt, signal } = ask;
  const timeout = Math.min(MAX_TIMER, Math.max(1, expiresAt - Date.now()));
  try {
    const options = { signal, timeout, relatedRequestId: mcpReq.id };
    call.answer(id, await server.elicitInput({ mode: "form", ...toApprovalForm(ask) }, options));
  } catch {
    call.dismiss(id);
  }
}

/** Asks the client what a tool wants to know, while the call waits. Never rejects. */
async function passOn(call: ClientCall<unknown>, question: Question, { mcpReq }: ServerContext): Promise<void> {
  const { key, method, params, signal } = question;
  try {
    const answer = await mcpReq.send({ method, params } as InputRequest, ANYTHING, { signal, timeout: MAX_TIMER });
    call.questions.reply(key, answer as Json);
  } catch (error) {
    call.questions.fail(key, error);
  }
}

// A longer delay would fire at once.
const MAX_TIMER = 2 ** 31 - 1;
