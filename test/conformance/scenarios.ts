/** What the revision 2025-11-25 requires of a server. */
export const OLD_ERA = [
  "completion-complete",
  "dns-rebinding-protection",
  "elicitation-sep1034-defaults",
  "elicitation-sep1330-enums",
  "json-schema-2020-12",
  "logging-set-level",
  "ping",
  "prompts-get-embedded-resource",
  "prompts-get-simple",
  "prompts-get-with-args",
  "prompts-get-with-image",
  "prompts-list",
  "resources-list",
  "resources-read-binary",
  "resources-read-text",
  "resources-subscribe",
  "resources-templates-read",
  "resources-unsubscribe",
  "server-initialize",
  "server-session-lifecycle",
  "server-sse-multiple-streams",
  "server-sse-polling",
  "tools-call-audio",
  "tools-call-elicitation",
  "tools-call-embedded-resource",
  "tools-call-error",
  "tools-call-image",
  "tools-call-mixed-content",
  "tools-call-sampling",
  "tools-call-simple-text",
  "tools-call-with-logging",
  "tools-call-with-progress",
  "tools-list",
] as const;

/** What the revision 2026-07-28 requires of a server. */
export const NEW_ERA = [
  "caching",
  "completion-complete",
  "dns-rebinding-protection",
  "input-required-result-basic-elicitation",
  "input-required-result-basic-list-roots",
  "input-required-result-basic-sampling",
  "input-required-result-capability-check",
  "input-required-result-ignore-extra-params",
  "input-required-result-missing-input-response",
  "input-required-result-multi-round",
  "input-required-result-multiple-input-requests",
  "input-required-result-non-tool-request",
  "input-required-result-request-state",
  "input-required-result-result-type",
  "input-required-result-tampered-state",
  "input-required-result-unsupported-methods",
  "input-required-result-validate-input",
  "prompts-get-embedded-resource",
  "prompts-get-simple",
  "prompts-get-with-args",
  "prompts-get-with-image",
  "prompts-list",
  "resources-list",
  "resources-read-binary",
  "resources-read-text",
  "resources-templates-read",
  "sep-2164-resource-not-found",
  "server-sse-multiple-streams",
  "server-stateless",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-error",
  "tools-call-image",
  "tools-call-mixed-content",
  "tools-call-simple-text",
  "tools-call-with-progress",
  "tools-list",
] as const;

/** The extension for calls that go on without their client. */
export const TASKS = [
  "tasks-capability-negotiation",
  "tasks-dispatch-and-envelope",
  "tasks-lifecycle",
  "tasks-mrtr-composition",
  "tasks-mrtr-input",
  "tasks-request-headers",
  "tasks-request-state-removal",
  "tasks-required-task-error",
  "tasks-status-notifications",
  "tasks-wire-fields",
] as const;

/** What the suite runs with the revision 2026-07-28 and does not require yet. */
export const PENDING = [
  "http-custom-header-server-validation",
  "http-header-validation",
  "json-schema-2020-12",
] as const;

/** The extension for skills. */
export const SKILLS = ["sep-2640-skills-directory", "sep-2640-skills-enumeration", "sep-2640-skills-manifest"] as const;

/**
 * What both revisions require of a client, but for authorization, which our source leaves to whoever writes its headers, and
 * the extension for skills, which it does not use.
 */
export const CLIENT = [
  "elicitation-sep1034-client-defaults",
  "http-custom-headers",
  "http-invalid-tool-headers",
  "http-standard-headers",
  "initialize",
  "json-schema-2020-12-preservation",
  "json-schema-ref-no-deref",
  "request-metadata",
  "sep-2322-client-request-state",
  "sse-retry",
  "tools_call",
] as const;
