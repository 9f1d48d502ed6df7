import {
  type Attributes,
  context,
  isSpanContextValid,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import type { Event } from "../core/event.ts";
import type { Usage } from "../core/model.ts";

/** A reader of the log that makes spans. */
export interface Tracing {
  /** The next event of a session; each once. */
  add(event: Event): void;
}

/** What is going on in a session, by its id: one run, the turn that it is at, one call. */
type Open = Map<string, { readonly span: Span; readonly model?: string }>;

interface Beginning {
  readonly key: string;
  readonly name: string;
  readonly kind?: SpanKind;
  readonly model?: string;
  readonly attributes: Attributes;
}

/**
 * Makes spans of OpenTelemetry with the names of its conventions for generative AI: `invoke_agent` for runs, `chat` for
 * turns of a model, `execute_tool` for calls, each below what started it. Nothing is done unless the process has an SDK.
 * What was said, called with or answered stays in the log.
 */
export function createTracing(tracer: Tracer = trace.getTracer("pegboard")): Tracing {
  const sessions = new Map<string, Open>();

  function begin(event: Event, { key, name, kind = SpanKind.INTERNAL, model, attributes }: Beginning): void {
    const open: Open = sessions.get(event.session) ?? new Map();
    const above = open.get(`call ${event.parent}`) ?? open.get(`run ${event.run}`);
    const around = above ? trace.setSpan(context.active(), above.span) : context.active();
    const all = { "gen_ai.conversation.id": event.session, ...attributes, ...toModelAttributes(model) };
    const span = tracer.startSpan(name, { kind, startTime: event.at, attributes: all }, around);
    // Without an SDK there is nothing to keep.
    if (!isSpanContextValid(span.spanContext())) return;
    open.set(key, { span, ...(model !== undefined && { model }) });
    sessions.set(event.session, open);
  }

  function end({ session, at }: Event, key: string, attributes: Attributes, error?: string): void {
    const open = sessions.get(session);
    const span = open?.get(key)?.span;
    if (!open || !span) return;
    open.delete(key);
    if (open.size === 0) sessions.delete(session);
    span.setAttributes(attributes);
    if (error !== undefined) span.setAttribute("error.type", error).setStatus({ code: SpanStatusCode.ERROR });
    span.end(at);
  }

  return {
    add(event) {
      const { run, call, session } = event;
      switch (event.type) {
        case "run-start":
          begin(event, {
            key: `run ${run}`,
            name: `invoke_agent ${event.data.agent}`,
            model: event.data.model,
            attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": event.data.agent },
          });
          return;
        case "turn-start": {
          const model = sessions.get(session)?.get(`run ${run}`)?.model ?? "";
          const attributes = { "gen_ai.operation.name": "chat" };
          begin(event, { key: `turn ${run}`, name: `chat ${model}`, kind: SpanKind.CLIENT, model, attributes });
          return;
        }
        case "turn-end": {
          const { usage, reason } = event.data;
          end(event, `turn ${run}`, { ...toUsageAttributes(usage), "gen_ai.response.finish_reasons": [reason] });
          return;
        }
        case "run-end": {
          const { usage, error } = event.data;
          // A turn that failed has no end of its own.
          end(event, `turn ${run}`, {}, error?.code ?? "interrupted");
          end(event, `run ${run}`, toUsageAttributes(usage), error?.code);
          return;
        }
        case "call-start":
          begin(event, {
            key: `call ${call}`,
            name: `execute_tool ${event.data.tool}`,
            attributes: {
              "gen_ai.operation.name": "execute_tool",
              "gen_ai.tool.name": event.data.tool,
              "gen_ai.tool.call.id": String(call),
            },
          });
          return;
        case "call-end":
          end(event, `call ${call}`, {}, event.data.error?.code);
          return;
        case "session-end":
          for (const key of sessions.get(session)?.keys() ?? []) end(event, key, {}, "interrupted");
      }
    },
  };
}

/** The names that the conventions have for providers, where they are not ours. */
const PROVIDERS: Readonly<Record<string, string>> = { google: "gcp.gemini" };

function toModelAttributes(id: string | undefined): Attributes {
  if (!id) return {};
  const [, provider, model = id] = /^([^:]+):(.+)$/s.exec(id) ?? [];
  return {
    ...(provider !== undefined && { "gen_ai.provider.name": PROVIDERS[provider] ?? provider }),
    "gen_ai.request.model": model,
  };
}

function toUsageAttributes({ input, output }: Usage): Attributes {
  return { "gen_ai.usage.input_tokens": input, "gen_ai.usage.output_tokens": output };
}
