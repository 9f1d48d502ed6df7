/** Where a user meets a behaviour: in a program that imports pegboard, or at the command line. */
type Door = "library" | "cli";

/** One behaviour that a user can see from outside. A test whose name carries the id is its proof. */
export interface Requirement {
  readonly id: string;
  readonly sentence: string;
  readonly doors: readonly Door[];
}

/** Every behaviour that is promised and proven, in the order of the ids. */
export const REQUIREMENTS: readonly Requirement[] = [
  {
    id: "A0-01",
    sentence: "Register tool T; list shows T with JSON-schema object, `required` only holds params marked required.",
    doors: ["library", "cli"],
  },
  {
    id: "A0-02",
    sentence:
      "get of an unknown tool gives nothing; unregister then get gives nothing; unregister of unknown is not an error (returns false).",
    doors: ["library"],
  },
  {
    id: "A0-03",
    sentence:
      "Registering a second tool of the same id fails and names both sources; with `replace` it succeeds and says it replaced.",
    doors: ["library"],
  },
  {
    id: "A0-04",
    sentence: "A session-scoped copy with one extra tool does not change the global list.",
    doors: ["library"],
  },
  {
    id: "A0-05",
    sentence:
      "Calling an unknown tool returns an error result naming the tool and the tools available *to this caller*; the run goes on.",
    doors: ["library", "cli"],
  },
  {
    id: "A0-06",
    sentence:
      "vfs write then read gives the same bytes; write reply has path and char count; a second write adds a version holding author agent and call id.",
    doors: ["library"],
  },
  {
    id: "A0-07",
    sentence: "Version history per file is capped (20 by default, configurable).",
    doors: ["library"],
  },
  {
    id: "A0-08",
    sentence: "list by prefix gives a sorted JSON array; no match is a success which names existing prefixes.",
    doors: ["library"],
  },
  {
    id: "A0-09",
    sentence:
      "A read outside the read scope is refused even when the asked path is inside and a fuzzy/basename match would resolve outside; suggestions list only readable paths.",
    doors: ["library"],
  },
  {
    id: "A0-10",
    sentence: "`../` and backslash forms which leave the write scope are refused; leading `../` above root is refused.",
    doors: ["library"],
  },
  {
    id: "A0-11",
    sentence: "Writing an agent file makes that agent callable at once; deleting it makes it unknown.",
    doors: ["library", "cli"],
  },
  {
    id: "A0-12",
    sentence: "Writing under agents/ without the edit-agents permission is refused though the glob allows it.",
    doors: ["library"],
  },
  {
    id: "A0-13",
    sentence: "Reads/lists with an empty or non-string path/prefix are refused by policy, not crashed.",
    doors: ["library"],
  },
  {
    id: "A0-14",
    sentence: "spawn with a name not ending `.md` fails and proposes the right name.",
    doors: ["library"],
  },
  {
    id: "A0-15",
    sentence: "spawn at max depth fails with current/max depth in the text and creates no file.",
    doors: ["library"],
  },
  {
    id: "A0-16",
    sentence: "The (maxFanout+1)th child of one agent fails with count/limit.",
    doors: ["library"],
  },
  {
    id: "A0-17",
    sentence: "spawn of an existing agent name activates it and leaves its file unchanged.",
    doors: ["library"],
  },
  {
    id: "A0-18",
    sentence:
      "spawn in background mode replies before the child runs, and says so; the child's later output reaches the parent by signal/notification.",
    doors: ["library"],
  },
  {
    id: "A0-19",
    sentence:
      "A child spawned by a restricted agent can do nothing its parent could not (mode omitted, or asking for more, both tested).",
    doors: ["library"],
  },
  {
    id: "A0-20",
    sentence:
      "signal to parent from a root agent is an error result; from a child it re-activates the parent with the message and the child's name.",
    doors: ["library"],
  },
  {
    id: "A0-21",
    sentence: "delegate is under the same spawn permission, depth and fanout counters as spawn.",
    doors: ["library"],
  },
  {
    id: "A0-22",
    sentence:
      "A tool blocked by name is refused with a message which names the setting; allow-list set → any tool not in it is refused.",
    doors: ["library", "cli"],
  },
  {
    id: "A0-23",
    sentence: "A blocked tool stays refused in the most permissive mode.",
    doors: ["library", "cli"],
  },
  {
    id: "A0-24",
    sentence:
      "Unknown safety mode falls to the least privilege; an agent file whose front matter cannot be recovered loads as least privilege (no tools) with its text as prompt and an error diagnostic.",
    doors: ["library"],
  },
  {
    id: "A0-25",
    sentence: "User text can never raise an agent's policy.",
    doors: ["library"],
  },
  {
    id: "A0-26",
    sentence:
      "web fetch: plain text passes; HTML loses script/style/tags; longer than maxLength is cut and says how much was kept.",
    doors: ["library"],
  },
  {
    id: "A0-27",
    sentence:
      "429/500/502/503/529 are retried up to 3 attempts then reported; 404 is reported at once with no retry; network error is retried.",
    doors: ["library"],
  },
  {
    id: "A0-28",
    sentence:
      "A non-retryable tool which throws is called once. `maxAttempts: N` is honoured. Abort during backoff ends the wait at once. Wait is never below the floor.",
    doors: ["library"],
  },
  {
    id: "A0-29",
    sentence:
      "web fetch refuses loopback, link-local, private, CGNAT, metadata, IPv6-mapped, and credentialed URLs, also after redirect or DNS change.",
    doors: ["library", "cli"],
  },
  {
    id: "A0-30",
    sentence:
      "web search gives an array of {title,url,snippet} ≤ maxResults; with no provider configured it is an error naming the setting.",
    doors: ["library", "cli"],
  },
  {
    id: "A0-31",
    sentence:
      "Custom tool from frontmatter shows with its parameters; `{{p}}` replaced by the argument; `{{unknown}}` left as is; an argument holding `{{x}}` is not expanded again.",
    doors: ["library"],
  },
  {
    id: "A0-32",
    sentence: "Custom tool `model` is the model used for its child run; absent → the agent's model.",
    doors: ["library"],
  },
  {
    id: "A0-33",
    sentence:
      "Custom tool with result_schema: valid JSON → structured result; invalid → one repair try, then an error which lists schema violations.",
    doors: ["library"],
  },
  {
    id: "A0-34",
    sentence: "Custom tool counts to depth and fanout; at the limit it fails without starting a child.",
    doors: ["library"],
  },
  {
    id: "A0-35",
    sentence: "After a custom tool ends (also on error) no temp agent remains listed or on disk.",
    doors: ["library"],
  },
  {
    id: "A0-36",
    sentence:
      "50 concurrent calls of one custom tool (limits raised for the test) give 50 separate results; custom tools are exempt from loop detection, not from depth, fan-out and budget.",
    doors: ["library"],
  },
  {
    id: "A0-37",
    sentence:
      "A bad custom tool entry (no name/description/prompt, parameters not an object) does not stop the agent from loading; validation reports it with its line.",
    doors: ["library", "cli"],
  },
  {
    id: "A0-38",
    sentence:
      "Validate: missing frontmatter, missing name, empty body, unknown mode, non-array lists, `{{x}}` with no parameter: each a diagnostic with severity and line.",
    doors: ["library", "cli"],
  },
  {
    id: "A0-39",
    sentence: 'A tool returning "" or text beginning "Error:" is a success; only thrown/declared errors are errors.',
    doors: ["library"],
  },
  {
    id: "A0-40",
    sentence: "Same agent with same input twice in one run is refused as a loop.",
    doors: ["library"],
  },
  {
    id: "A0-41",
    sentence: "When the token budget is reached the run pauses, other sessions stop, and the log says so.",
    doors: ["library"],
  },
  {
    id: "A0-42",
    sentence:
      "No more than maxConcurrency sessions run at once; killing one leaves others; kill-all empties the queue.",
    doors: ["library"],
  },
  {
    id: "A0-43",
    sentence:
      "Every call leaves call+result events with agent and activation id; long results are cut in the log and flagged, never in what the model gets.",
    doors: ["library"],
  },
  {
    id: "A0-44",
    sentence: "Log can be paged, filtered by agent and type, exported as JSON, archived keeping the last N.",
    doors: ["cli"],
  },
  {
    id: "A0-45",
    sentence:
      "MCP server in agent frontmatter: tools appear namespaced; a server which cannot connect leaves a warning and the run continues; call to a dropped server is an error result.",
    doors: ["library"],
  },
  {
    id: "A0-48",
    sentence: "The tool list each model turn sees = the tools it may call now (hidden ⇒ refused).",
    doors: ["library"],
  },
  {
    id: "A1-01",
    sentence: "A plain AI SDK toolset object becomes tools named by its keys, same description, schema and result.",
    doors: ["library"],
  },
  {
    id: "A1-02",
    sentence:
      "One model tool call runs the tool's function exactly once (counter test with a mock model; both pre-approved and approved).",
    doors: ["library"],
  },
  {
    id: "A1-03",
    sentence: "A tool with no approval info and no config asks.",
    doors: ["library", "cli"],
  },
  {
    id: "A1-04",
    sentence: "`preApproved` in config runs without asking; `ask` asks; per-tool setting beats toolset default.",
    doors: ["library", "cli"],
  },
  {
    id: "A1-05",
    sentence:
      "`blocked` never runs: not under approve-all, not with a remembered approval, not when the tool says needsApproval:false; the model never sees it; a direct call gets code `blocked` and no prompt.",
    doors: ["library", "cli"],
  },
  {
    id: "A1-06",
    sentence:
      "A tool's own needsApproval:true cannot be silenced by the tool's package or the agent file; only operator policy can pre-approve it, and the audit log says which rule did.",
    doors: ["library"],
  },
  {
    id: "A1-07",
    sentence: "needsApproval function gets validated args and decides per call (two paths, two outcomes).",
    doors: ["library"],
  },
  {
    id: "A1-08",
    sentence: "needsApproval which throws or returns a non-boolean = ask.",
    doors: ["library"],
  },
  {
    id: "A1-09",
    sentence:
      "Args are validated before any approval prompt; invalid args give an error listing the fields and no prompt.",
    doors: ["library", "cli"],
  },
  {
    id: "A1-10",
    sentence: "Interactive mode without an approver is refused at start, not at first call.",
    doors: ["library", "cli"],
  },
  {
    id: "A1-11",
    sentence: "auto-deny: ask-tools are denied with a reason; pre-approved still run.",
    doors: ["library", "cli"],
  },
  {
    id: "A1-12",
    sentence:
      '"Remember for session" then the same tool with the same args in another key order does not ask; different args ask; denials are not remembered; clearing forgets; a new session asks.',
    doors: ["library", "cli"],
  },
  {
    id: "A1-13",
    sentence: "Denied call: model gets an error result with the approver's note, the run goes on, tool not run.",
    doors: ["library"],
  },
  {
    id: "A1-14",
    sentence: "Approval request shows tool, args, description, agent chain (parent → child).",
    doors: ["library"],
  },
  {
    id: "A1-15",
    sentence: "A child agent's ask goes to the same approver and shares the session's remembered approvals.",
    doors: ["library"],
  },
  {
    id: "A1-16",
    sentence: "Local module: function + `<name>Schema`; full tool object; both work, sync and async.",
    doors: ["library"],
  },
  {
    id: "A1-17",
    sentence:
      "Listed export missing → load error naming the available exports; function without schema → error; schema not a schema → error; module throws on import → its own message shown.",
    doors: ["library", "cli"],
  },
  {
    id: "A1-18",
    sentence:
      "Only whitelisted exports become tools. An npm package (`package` + `import`) loads the same way; not installed → error with the install command.",
    doors: ["library", "cli"],
  },
  {
    id: "A1-19",
    sentence: "Relative module path resolves from the file which names it, not from cwd.",
    doors: ["library", "cli"],
  },
  {
    id: "A1-20",
    sentence: "Handler gets a context with call id, session, sandboxed file access; can ignore it.",
    doors: ["library"],
  },
  {
    id: "A1-21",
    sentence: "Duplicate toolset registration throws; allowReplace replaces.",
    doors: ["library"],
  },
  {
    id: "A1-22",
    sentence:
      "Two toolsets with the same tool name in one agent: error naming both, or both usable when given aliases (alias__tool).",
    doors: ["library"],
  },
  {
    id: "A1-23",
    sentence: "Unknown toolset in an agent file → error naming the agent and known toolsets.",
    doors: ["library", "cli"],
  },
  {
    id: "A1-24",
    sentence: "Unknown key in strict config → error with its path.",
    doors: ["library", "cli"],
  },
  {
    id: "A1-25",
    sentence:
      "File tools: a path, `..` or symlink that leaves the mounts is refused; readonly mount refuses write and delete; longest mount wins; parent dirs created on write.",
    doors: ["library", "cli"],
  },
  {
    id: "A1-26",
    sentence:
      "A child agent may narrow the sandbox (subtree, readonly); asking to widen is an error; parent's sandbox unchanged after. If narrowing is impossible the child does not start.",
    doors: ["library"],
  },
  {
    id: "A1-27",
    sentence: "Binary file read is refused with a hint; by extension and by content.",
    doors: ["library"],
  },
  {
    id: "A1-28",
    sentence: "write result tells created/modified, bytes, and holds a diff for small files.",
    doors: ["library", "cli"],
  },
  {
    id: "A1-29",
    sentence:
      "Shell: what is not plain literal commands asks or is blocked; a `blocked` rule always wins, else the first matching rule; no rule + no default = blocked without a prompt; unknown command → 127; timeout kills and says so; output over the cap is cut and flagged. Prefix rule `git ` does not allow `git -c …=!cmd` style escapes when the rule pins subcommands.",
    doors: ["library", "cli"],
  },
  {
    id: "A1-30",
    sentence:
      "Delegation: only allowed agents callable; depth limit and circular chain give errors with the chain; child model must match its compatible list.",
    doors: ["library"],
  },
  {
    id: "A1-31",
    sentence: "Attachments: over count, over bytes, wrong suffix refused; attachments without a sandbox refused.",
    doors: ["library"],
  },
  {
    id: "A1-32",
    sentence: "Max iterations ends with an error and the count.",
    doors: ["library"],
  },
  {
    id: "A1-33",
    sentence:
      "Tool results undefined, circular, BigInt, Date, Buffer do not crash and reach log and model in a stable form.",
    doors: ["library"],
  },
  {
    id: "A1-34",
    sentence: "Unknown tool called by the model → error result, run goes on.",
    doors: ["library"],
  },
  {
    id: "A1-35",
    sentence:
      "Manual tools: not in the model's list, a model call to one is refused, the user can run it from CLI/console with the same validation, approval, audit.",
    doors: ["library", "cli"],
  },
  {
    id: "A1-36",
    sentence:
      "Headless: asks are denied by default with a hint; `--approve all` approves, `--approve wait` leaves the request in the inbox; tools which would always be denied are not advertised (option).",
    doors: ["library", "cli"],
  },
  {
    id: "A1-37",
    sentence:
      "Config precedence: CLI > env > project file > default, and a CLI option left out does not override the file.",
    doors: ["cli"],
  },
  {
    id: "A1-38",
    sentence:
      "Every event of one call carries the same call id, in order: start, approval request, decision, end|error; decision says cached yes/no and by which rule.",
    doors: ["library"],
  },
  {
    id: "A1-39",
    sentence:
      "Model id `provider:model`; unknown provider, missing key, incompatible model: errors which name the env var/pattern.",
    doors: ["library", "cli"],
  },
  {
    id: "A1-40",
    sentence:
      "Result kinds (text, json, diff, file_content, file_list, custom dotted) survive to clients; unknown kinds pass as JSON.",
    doors: ["library"],
  },
  {
    id: "A1-41",
    sentence:
      "Toolset factories run once per agent run unless declared shared; disposed at the end, also after errors.",
    doors: ["library"],
  },
  {
    id: "A1-42",
    sentence: "Chat mode: /new resets history and counters, /exit ends; context warning past the limit.",
    doors: ["library", "cli"],
  },
  {
    id: "A2-01",
    sentence:
      "Directory with plugin.json (tools + agents) loads: tools listed with plugin name, agents listed with source `plugin`.",
    doors: ["library"],
  },
  {
    id: "A2-02",
    sentence: "Manifest errors are all reported at once with the field; the plugin is not loaded; other plugins load.",
    doors: ["library"],
  },
  {
    id: "A2-03",
    sentence: "Directory without a manifest is skipped with a notice; unreadable JSON is an error naming the file.",
    doors: ["library"],
  },
  {
    id: "A2-04",
    sentence:
      "Tool without command; property without type; invalid activationMode; bad plugin name: each refused with a clear text.",
    doors: ["library"],
  },
  {
    id: "A2-05",
    sentence: "A plugin with agents only is valid.",
    doors: ["library"],
  },
  {
    id: "A2-06",
    sentence:
      "Command tool: args arrive as one JSON on stdin, stdin is closed, cwd = the folder of the file that names it, no shell.",
    doors: ["library"],
  },
  {
    id: "A2-07",
    sentence:
      '`{"success":true,"result":…}`/`{"data":…}`/plain JSON → result; `success:false` or `error` → error with its text and type.',
    doors: ["library"],
  },
  {
    id: "A2-08",
    sentence:
      "Empty stdout, non-JSON stdout, exit ≠ 0, command not found: four distinct errors holding stderr and the command.",
    doors: ["library"],
  },
  {
    id: "A2-09",
    sentence:
      "Timeout: process and its children are gone within the grace time; error tells ms. children too, not only the direct child.",
    doors: ["library"],
  },
  {
    id: "A2-10",
    sentence: "Cancel during a run kills the process and reports cancelled.",
    doors: ["library"],
  },
  {
    id: "A2-11",
    sentence:
      "stderr is kept as logs and streamed as progress, never mixed in the result. Output cap enforced and flagged.",
    doors: ["library"],
  },
  {
    id: "A2-12",
    sentence: "The command gets only allow-listed env + its own config, not the host's secrets.",
    doors: ["library"],
  },
  {
    id: "A2-13",
    sentence:
      "Plugin config: required missing → plugin present, tools absent, status says which keys; after config the tools appear without restart; secrets encrypted on disk and redacted in logs/API.",
    doors: ["library"],
  },
  {
    id: "A2-14",
    sentence: "config values reach the tool as env; types coerced; filepath/directory must exist.",
    doors: ["library"],
  },
  {
    id: "A2-15",
    sentence:
      "Dependencies installed once per plugin in isolation; failure disables only that plugin; changed dependency file → rebuilt.",
    doors: ["library"],
  },
  {
    id: "A2-16",
    sentence:
      "Linked plugin: editing plugin.json or an agent file is effective on the next turn; uninstall keeps the source.",
    doors: ["library", "cli"],
  },
  {
    id: "A2-17",
    sentence: "Update keeps config; uninstall removes tools and agents from lists at once.",
    doors: ["library", "cli"],
  },
  {
    id: "A2-18",
    sentence:
      "Agent parsed: frontmatter + body; body is the system prompt; every field of the agent file table (seed 002) present.",
    doors: ["library"],
  },
  {
    id: "A2-19",
    sentence: 'Manifest beats frontmatter for every field, including 0, false, "" and [].',
    doors: ["library"],
  },
  {
    id: "A2-20",
    sentence: "Missing name or system_prompt_file → that agent refused/skipped with a warning, the rest load.",
    doors: ["library"],
  },
  {
    id: "A2-21",
    sentence: "Same agent twice in one plugin: first kept, warning.",
    doors: ["library"],
  },
  {
    id: "A2-22",
    sentence: "system_prompt_file outside the plugin dir (.., absolute, symlink) is refused.",
    doors: ["library"],
  },
  {
    id: "A2-23",
    sentence:
      "Lookup order user > plugin > builtin for one name; remove the user file → the plugin's is used; unregister plugin → builtin.",
    doors: ["library"],
  },
  {
    id: "A2-24",
    sentence: "List shows each name once with its winning source; and tells what it shadows.",
    doors: ["library", "cli"],
  },
  {
    id: "A2-25",
    sentence:
      "Two plugins with an agent `helper`: both callable as plugin-a/helper and plugin-b/helper; bare `helper` is an error naming both.",
    doors: ["library"],
  },
  {
    id: "A2-26",
    sentence: "register of a plugin agent without plugin name is refused; unregister unknown returns false.",
    doors: ["library"],
  },
  {
    id: "A2-27",
    sentence: "Pool keys: user `agent-{name}`; plugin `plugin-{plugin}-{name}`; two plugins never share.",
    doors: ["library"],
  },
  {
    id: "A2-28",
    sentence:
      "Second delegation to the same agent starts with a clean conversation; passing the returned agent id continues it and it remembers.",
    doors: ["library"],
  },
  {
    id: "A2-29",
    sentence: "Acquire twice at once → two instances; release then acquire → the same instance, use count 2.",
    doors: ["library"],
  },
  {
    id: "A2-30",
    sentence:
      "Pool at capacity evicts the least recently used idle one and cleans it up; busy ones are never evicted; all busy → grows with a warning.",
    doors: ["library"],
  },
  {
    id: "A2-31",
    sentence:
      "20 parallel acquires never hand out one instance twice; release of unknown id is harmless; remove of a busy one is refused.",
    doors: ["library"],
  },
  {
    id: "A2-32",
    sentence: "Pool stats: total, in use, available, max, ages.",
    doors: ["library"],
  },
  {
    id: "A2-33",
    sentence: "Agent idle past its limit is evicted, and so is an idle session.",
    doors: ["library"],
  },
  {
    id: "A2-34",
    sentence:
      "Plugin agent without `tools`: sees core + own plugin's tools, not another plugin's; a call to another plugin's tool is refused.",
    doors: ["library"],
  },
  {
    id: "A2-35",
    sentence: "`tools` list: only those; unknown names are reported. `tools: []`: no tools at all.",
    doors: ["library", "cli"],
  },
  {
    id: "A2-36",
    sentence: "User agent without `tools`: all tools (subject to policy).",
    doors: ["library"],
  },
  {
    id: "A2-37",
    sentence:
      "required_agent/visible_to: not in other agents' lists; called anyway → error naming required and current agent; right agent → runs.",
    doors: ["library"],
  },
  {
    id: "A2-38",
    sentence:
      'can_see_agents:false → no delegation tools; can_delegate_to_agents:false → delegation refused; visible_from_agents limits callers, [] = only main, "main" can be listed.',
    doors: ["library"],
  },
  {
    id: "A2-39",
    sentence: "Depth limit and cycle limit errors show the chain.",
    doors: ["library"],
  },
  {
    id: "A2-40",
    sentence: "Unknown agent name is an error with near names (no silent fallback).",
    doors: ["library"],
  },
  {
    id: "A2-41",
    sentence: "Delegation result has agent used, duration, agent id; empty answer is recovered or reported.",
    doors: ["library"],
  },
  {
    id: "A2-42",
    sentence:
      "requirements: require_tool_use / minimum / one_of / all; failed calls do not count; unmet → reminder turn; after max_retries the run ends with an error.",
    doors: ["library"],
  },
  {
    id: "A2-43",
    sentence: "Invalid arguments never reach the approval prompt.",
    doors: ["library"],
  },
  {
    id: "A2-44",
    sentence: "Identical read-only call twice in a turn is answered with a notice (option).",
    doors: ["library"],
  },
  {
    id: "A2-45",
    sentence:
      'Tagged plugin: absent until `+name`, persisted in the session, gone after `-name`; "-5" in text is not a tag.',
    doors: ["library"],
  },
  {
    id: "A2-46",
    sentence:
      "Capability declared fs_write/shell/process/remote → asks; read/network → policy default; computed per args.",
    doors: ["library"],
  },
  {
    id: "A2-47",
    sentence: "Disabled plugin's tools vanish from cached tool lists at once.",
    doors: ["library"],
  },
  {
    id: "A2-48",
    sentence:
      "Claude-style plugin dir (.claude-plugin/plugin.json, .mcp.json, agents/, commands/, skills/) loads; `${CLAUDE_PLUGIN_ROOT}` substituted; unset env warned.",
    doors: ["library", "cli"],
  },
  {
    id: "A2-49",
    sentence:
      "Many tools: list over the schema budget → core + catalogue + search tool; a found tool becomes callable for that agent only.",
    doors: ["library"],
  },
  {
    id: "A2-50",
    sentence: "Background delegation: cap on running; status; cancel; result delivered exactly once.",
    doors: ["library"],
  },
  {
    id: "A3-01",
    sentence:
      "Plugin missing name, version, register; start/stop not functions; tools not an array; tool without name/description/handler: all errors listed together, each with the module path; plugin not loaded; others are.",
    doors: ["library"],
  },
  {
    id: "A3-02",
    sentence: "default export preferred over named `plugin`.",
    doors: ["library"],
  },
  {
    id: "A3-03",
    sentence: "Duplicate plugin name or two tools with one qualified name refused.",
    doors: ["library"],
  },
  {
    id: "A3-04",
    sentence: "Tool schema checked at load: must be a JSON Schema object.",
    doors: ["library"],
  },
  {
    id: "A3-05",
    sentence:
      "Tools from several plugins are collected as `plugin__tool`; plugins without tools add none; no tools → no server is offered.",
    doors: ["library"],
  },
  {
    id: "A3-06",
    sentence:
      "A client's tools/list shows the author's schema unchanged: descriptions, defaults, min/max, pattern, enum, items, nested objects, required.",
    doors: ["library"],
  },
  {
    id: "A3-07",
    sentence:
      "Handler gets (plugin context, validated input, meta with thread id, trace id; task id only inside a task).",
    doors: ["library"],
  },
  {
    id: "A3-08",
    sentence: "The context in a tool handler is that plugin's own (settings, state, status, background errors work).",
    doors: ["library"],
  },
  {
    id: "A3-09",
    sentence:
      "Handler string → text result; {text, blocks} → text to the model, blocks to clients in call order; empty blocks add nothing.",
    doors: ["library"],
  },
  {
    id: "A3-10",
    sentence:
      "Typed tool error → isError result with code and message; unknown throw → INTERNAL_ERROR; logged with tool, plugin, thread, trace.",
    doors: ["library"],
  },
  {
    id: "A3-11",
    sentence:
      "Progress from a handler reaches clients during the run, also when it then fails; bursts are debounced but all are recorded.",
    doors: ["library"],
  },
  {
    id: "A3-12",
    sentence:
      "Two concurrent sessions calling one tool get their own thread ids (no cross-talk), also queued requests in one session.",
    doors: ["library"],
  },
  {
    id: "A3-13",
    sentence:
      "Lifecycle order: register all → start all → run → stop all; a plugin may use state set in register inside start; states are isolated and cleared after stop even if stop throws.",
    doors: ["library"],
  },
  {
    id: "A3-14",
    sentence: "register throws → that plugin is out, with its tools; others run.",
    doors: ["library"],
  },
  {
    id: "A3-15",
    sentence:
      "start throws → failed; with a recovery hook which succeeds → degraded, hooks active; recovery throws → failed; next plugins still start.",
    doors: ["library"],
  },
  {
    id: "A3-16",
    sentence:
      "stop is tried on all; one combined error names the failing plugins; a second shutdown is a no-op; SIGTERM ends with code 0.",
    doors: ["library", "cli"],
  },
  {
    id: "A3-17",
    sentence:
      "onBeforeInvoke chain: plugin 2 receives plugin 1's prompt; one which throws or times out is skipped and earlier changes are kept.",
    doors: ["library"],
  },
  {
    id: "A3-18",
    sentence:
      "Notification hook throwing/timeouting does not stop others; log names plugin and hook; timeout is a warning, error is an error; late rejection is silent.",
    doors: ["library"],
  },
  {
    id: "A3-19",
    sentence: "Early-return hook: first handled wins and skips the model; not handled → normal path.",
    doors: ["library"],
  },
  {
    id: "A3-20",
    sentence:
      "Order: pipelineStart → message → beforeInvoke → model → afterInvoke → pipelineComplete → stored → complete event; failures give an error event and a stored status.",
    doors: ["library"],
  },
  {
    id: "A3-21",
    sentence: "Two messages to one thread run in order; different threads run in parallel.",
    doors: ["library"],
  },
  {
    id: "A3-22",
    sentence: "Disabling a plugin removes its tools and hooks; unknown disabled names only warn; without restart.",
    doors: ["library"],
  },
  {
    id: "A3-23",
    sentence:
      "Settings: secret encrypted at rest (AES-GCM), tamper → error; change notification reaches only its plugin's reload.",
    doors: ["library"],
  },
  {
    id: "A3-24",
    sentence: "delegate replies at once; task and thread exist; empty prompt is an error and creates nothing.",
    doors: ["library"],
  },
  {
    id: "A3-25",
    sentence: "Over the concurrent limit → error with the number; slot is freed after success and after failure.",
    doors: ["library"],
  },
  {
    id: "A3-26",
    sentence: "Task created hook fires before the first model run. Task thread inherits the parent's project/agent.",
    doors: ["library"],
  },
  {
    id: "A3-27",
    sentence: "Validator accepts → completed; parent gets the result exactly once and is run on it.",
    doors: ["library"],
  },
  {
    id: "A3-28",
    sentence: "Validator rejects → same task again with the feedback appended; accepted second time → iterations 2.",
    doors: ["library"],
  },
  {
    id: "A3-29",
    sentence: "All hooks must accept; the first rejection stops later validators.",
    doors: ["library"],
  },
  {
    id: "A3-30",
    sentence:
      "Iterations exhausted → failed, onTaskFailed fired, parent told the last feedback; maxIterations 0 fails at once.",
    doors: ["library"],
  },
  {
    id: "A3-31",
    sentence:
      "Transient failure backs off growing; logic error stops at once; cost cap stops before the next run and says spent/cap.",
    doors: ["library"],
  },
  {
    id: "A3-32",
    sentence: "Cancel before, during the model run, and during backoff: all end as cancelled, parent told, slot freed.",
    doors: ["library"],
  },
  {
    id: "A3-33",
    sentence: "checkin adds a progress message at the parent without running it; from a root or empty → error.",
    doors: ["library"],
  },
  {
    id: "A3-34",
    sentence:
      "Validator infrastructure failure: policy choice accept|reject|fail (default reject-with-error visible), recorded in the task.",
    doors: ["library"],
  },
  {
    id: "A3-35",
    sentence: "Verdict parser: last verdict wins, case-insensitive, multi-line feedback kept, none → unknown.",
    doors: ["library"],
  },
  {
    id: "A3-36",
    sentence:
      "Crash during a task: at the next start it is resumed from the log; where that cannot be done it ends as failed with the reason, and the parent is told exactly once.",
    doors: ["library"],
  },
  {
    id: "A3-37",
    sentence:
      "Warm session reused for same thread + same config; model or tool-set or system prompt change → new; never closes a busy one; idle TTL eviction; dead ones replaced; queue full → error.",
    doors: ["library"],
  },
  {
    id: "A3-38",
    sentence: "Health: 200 with each plugin's status; 503 while shutting down; disabled plugins shown.",
    doors: ["library"],
  },
  {
    id: "A3-39",
    sentence:
      "executeTool by qualified name from plugin code works, unknown → error; goes through the same policy and audit.",
    doors: ["library"],
  },
  {
    id: "A3-40",
    sentence: "Delegation depth is limited and shown.",
    doors: ["library"],
  },
  {
    id: "A3-41",
    sentence: "A tool is usable by people too (audience) through console/CLI; agent-only ones are not offered.",
    doors: ["library", "cli"],
  },
  {
    id: "A3-42",
    sentence: "Token and cost numbers per run, per task, unknown model warned.",
    doors: ["library"],
  },
  {
    id: "A4-01",
    sentence: "Definition with empty name or description or non-function handler is refused at definition time.",
    doors: ["library"],
  },
  {
    id: "A4-02",
    sentence:
      "Duplicate register refused; register-or-replace tells whether it replaced; unregister true/false; clear returns the count; list/names/count agree.",
    doors: ["library"],
  },
  {
    id: "A4-03",
    sentence: "100 concurrent registers of distinct tools all succeed; of one name exactly one does.",
    doors: ["library"],
  },
  {
    id: "A4-04",
    sentence: "Two registries are independent. A runtime built with my registry uses mine only.",
    doors: ["library"],
  },
  {
    id: "A4-05",
    sentence: "Input not matching the JSON Schema → error listing paths; handler not called; unknown keys per schema.",
    doors: ["library", "cli"],
  },
  {
    id: "A4-06",
    sentence:
      "Handler result passes through; string, object, content blocks, ToolResult all accepted and normalised; sync and async handlers both work.",
    doors: ["library"],
  },
  {
    id: "A4-07",
    sentence: "Throw → success:false with message, session lives on; failure text is visible to the model.",
    doors: ["library"],
  },
  {
    id: "A4-08",
    sentence:
      "timeout → error naming seconds; handler's abort signal fires; 0/negative refused at definition; late result is dropped and audited.",
    doors: ["library"],
  },
  {
    id: "A4-09",
    sentence:
      "scope global: same instance for all sessions; scope session: created per session with its context, disposed with it; not visible to others.",
    doors: ["library"],
  },
  {
    id: "A4-10",
    sentence: "Two sessions calling one tool at once get their own session id, cwd, env, metadata.",
    doors: ["library"],
  },
  {
    id: "A4-11",
    sentence:
      "requires_approval: client gets an approval request with tool, args, timeout, options; allow runs, deny does not, timeout applies the default (deny), cancel denies.",
    doors: ["library", "cli"],
  },
  {
    id: "A4-12",
    sentence:
      '"Allow always" is remembered for that tool+args scope in that session only; answer for an unknown request id is an error; an answer not among the options is refused.',
    doors: ["library", "cli"],
  },
  {
    id: "A4-13",
    sentence:
      "Over stdio, HTTP, WS, SSE, MCP and ACP alike: approval answer and cancel are accepted while a prompt is running.",
    doors: ["library"],
  },
  {
    id: "A4-14",
    sentence:
      "A tool registered/unregistered while sessions live: clients get a list-changed notice; next turn sees it; a call in flight ends normally.",
    doors: ["library"],
  },
  {
    id: "A4-15",
    sentence:
      "YAML: name+module+function load; incomplete entry skipped with a notice naming it; bad import reported, others load; exit code ≠ 0 with `--strict`.",
    doors: ["cli"],
  },
  {
    id: "A4-16",
    sentence:
      "Module: tools by exported definitions and by a setup function (sync/async); import error exits 1 with the message. Works with reload/watch.",
    doors: ["library", "cli"],
  },
  {
    id: "A4-17",
    sentence:
      "tools.list / MCP tools/list over every transport shows host, built-in, plugin, MCP, custom tools with schema, source, scope, approval; tools.info unknown → TOOL_NOT_FOUND.",
    doors: ["library", "cli"],
  },
  {
    id: "A4-18",
    sentence:
      "The same call over stdio and HTTP (and WS, MCP, ACP, in-process) gives the same result and the same audit record but transport.",
    doors: ["library", "cli"],
  },
  {
    id: "A4-19",
    sentence: "One tool failing to mount does not stop others or the session.",
    doors: ["library"],
  },
  {
    id: "A4-20",
    sentence:
      "Client-side tools appear only for clients which announce the capability and vanish with the connection; calling without a client is an error result; a terminal is always released.",
    doors: ["library"],
  },
  {
    id: "A4-21",
    sentence:
      "Protocol: each command gets events with its id; sequence grows by 1; exactly one final event, last, also on errors.",
    doors: ["library"],
  },
  {
    id: "A4-22",
    sentence:
      "Unknown command, missing param, bad JSON: error event with code; connection stays; bad JSON has null correlation.",
    doors: ["library"],
  },
  {
    id: "A4-23",
    sentence:
      "stdio: LF only out, CRLF and BOM in, empty lines ignored, unicode/emoji/RTL/NUL/surrogates round-trip, one line per event, nothing but protocol on stdout.",
    doors: ["cli"],
  },
  {
    id: "A4-24",
    sentence: "HTTP: SSE and NDJSON by Accept; UTF-8 charset; unknown session 404, bad input 400.",
    doors: ["library"],
  },
  {
    id: "A4-25",
    sentence:
      'WS: connected message with version; ping/pong; request_id echoed; unknown type → error, stays open; no session → close 4004; abort acknowledged or "nothing to abort".',
    doors: ["library"],
  },
  {
    id: "A4-26",
    sentence:
      "Session: create, get, list (newest first), info, delete (active and saved), resume after restart with history; resume unknown → not found.",
    doors: ["library", "cli"],
  },
  {
    id: "A4-27",
    sentence: "After an error or cancel the session accepts the next prompt.",
    doors: ["library", "cli"],
  },
  {
    id: "A4-28",
    sentence: "Prompt while running: defined behaviour (queue or refuse by option), never corrupts the transcript.",
    doors: ["library"],
  },
  {
    id: "A4-29",
    sentence:
      "Session ids with / \\ . .. refused; files under the session dir only; transcript appended per turn; metadata atomic.",
    doors: ["library"],
  },
  {
    id: "A4-30",
    sentence: "inject context adds a message without running; clear keeps the system prompt.",
    doors: ["library"],
  },
  {
    id: "A4-31",
    sentence: "Cleanup removes sessions older than max age, keeps recent and running.",
    doors: ["library", "cli"],
  },
  {
    id: "A4-32",
    sentence:
      "Sub-agent events reach the parent's clients with child id, parent call id, agent name, depth; unknown agent → error; cleaned up on success and error; cancel child.",
    doors: ["library"],
  },
  {
    id: "A4-33",
    sentence:
      "Hooks: priority order; deny stops and beats ask beats inject beats modify beats continue; modify chains; a gate hook that throws or times out denies, one that returns nothing lets pass.",
    doors: ["library"],
  },
  {
    id: "A4-34",
    sentence:
      "Every call has an audit record: who (session, agent chain, client, transport), what (tool, version, args with secrets redacted), decision and rule, timing, outcome; also refused and timed-out calls.",
    doors: ["library"],
  },
  {
    id: "A4-35",
    sentence:
      "Metrics per tool: calls, errors by code, durations, in flight, approvals asked/denied, timeouts; scrape endpoint.",
    doors: ["library", "cli"],
  },
  {
    id: "A4-36",
    sentence:
      "Sandbox option: tool run in a separate process/worker with limits; crash, memory blow-up or infinite loop gives an error result and the runtime lives.",
    doors: ["library", "cli"],
  },
  {
    id: "A4-37",
    sentence:
      "HTTP/WS always need a token, also on loopback; event streams are filtered to the caller's sessions; Origin checked.",
    doors: ["library", "cli"],
  },
  {
    id: "A4-38",
    sentence: "capabilities lists commands, events, features, protocol version.",
    doors: ["library"],
  },
  {
    id: "A4-39",
    sentence:
      "Flags: http-only flags without --http are usage errors with the right usage; health check exit codes 0/1.",
    doors: ["cli"],
  },
  {
    id: "A4-40",
    sentence: "Tool names: very long or odd characters → refused with the grammar.",
    doors: ["library"],
  },
  {
    id: "A4-41",
    sentence: "Output with large/binary data: images passed as content blocks, event streams carry placeholders.",
    doors: ["library"],
  },
  {
    id: "A4-42",
    sentence:
      "Tools can call tools and agents through the context: same policy, budget, depth and audit with parent call id.",
    doors: ["library"],
  },
  {
    id: "A4-43",
    sentence: "Tool version: optional semver; recorded in audit; changed version mid-session is announced.",
    doors: ["library"],
  },
];
