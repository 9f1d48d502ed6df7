import type { EventType } from "../../core/event.ts";

const TYPES: Readonly<Record<EventType, true>> = {
  "session-start": true,
  "session-end": true,
  "call-start": true,
  "execute-start": true,
  "call-progress": true,
  "call-end": true,
  "execute-end": true,
  "approval-request": true,
  "approval-response": true,
  "approvals-change": true,
  "run-start": true,
  "run-progress": true,
  "run-change": true,
  "cancel-request": true,
  "turn-start": true,
  "model-delta": true,
  "turn-progress": true,
  "turn-end": true,
  "transcript-change": true,
  "mailbox-change": true,
  "run-end": true,
  "task-start": true,
  "task-progress": true,
  "task-end": true,
  "log-change": true,
  "tools-change": true,
  "hook-end": true,
  "tags-change": true,
};

/** Every type of event that a stream may carry. */
export const EVENT_TYPES = Object.keys(TYPES) as readonly EventType[];
