/** Our tools by the names that another program has for them; an empty list is a tool that has no counterpart. */
export type ToolNames = Readonly<Record<string, readonly string[]>>;

const READ = ["read_file"];
const WRITE = ["write_file"];
const EDIT = ["edit_file"];
const CHANGE = ["edit_file", "write_file"];
const SEARCH = ["search_files"];
const GLOB = ["glob"];
const LIST = ["list_files"];
const SHELL = ["shell"];
const FETCH = ["web_fetch"];
const FIND = ["web_search"];
const AGENT = ["agent"];
const SKILL = ["skill"];
const NONE: readonly string[] = [];

/** Names in small letters, of whichever program: files that wander from one program to another mix them. */
const TOOLS: ToolNames = {
  // Claude Code
  read: READ,
  write: WRITE,
  edit: EDIT,
  multiedit: EDIT,
  grep: SEARCH,
  glob: GLOB,
  ls: LIST,
  bash: SHELL,
  websearch: FIND,
  webfetch: FETCH,
  task: AGENT,
  agent: AGENT,
  skill: SKILL,
  notebookedit: NONE,
  notebookread: NONE,
  bashoutput: NONE,
  killshell: NONE,
  killbash: NONE,
  todowrite: NONE,
  todoread: NONE,
  exitplanmode: NONE,
  enterplanmode: NONE,
  slashcommand: NONE,
  askuserquestion: NONE,
  listmcpresourcestool: NONE,
  readmcpresourcetool: NONE,
  lsp: NONE,
  // opencode
  list: LIST,
  patch: EDIT,
  apply_patch: EDIT,
  question: NONE,
  codesearch: NONE,
  // Gemini
  read_file: READ,
  read_many_files: READ,
  write_file: WRITE,
  replace: EDIT,
  run_shell_command: SHELL,
  grep_search: SEARCH,
  search_file_content: SEARCH,
  list_directory: LIST,
  google_web_search: FIND,
  web_fetch: FETCH,
  activate_skill: SKILL,
  save_memory: NONE,
  write_todos: NONE,
  ask_user: NONE,
  // Amplifier and others
  shell: SHELL,
  edit_file: EDIT,
  list_files: LIST,
  search_files: SEARCH,
  web_search: FIND,
  find: GLOB,
};

/** What Copilot and VS Code call tools and groups of them, where that is not what others mean. */
export const COPILOT_TOOLS: ToolNames = {
  read: READ,
  "read/readfile": READ,
  readfile: READ,
  edit: CHANGE,
  "edit/editfiles": CHANGE,
  editfiles: CHANGE,
  "edit/createfile": WRITE,
  createfile: WRITE,
  search: ["search_files", "glob"],
  "search/codebase": SEARCH,
  codebase: SEARCH,
  "search/textsearch": SEARCH,
  textsearch: SEARCH,
  "search/filesearch": GLOB,
  filesearch: GLOB,
  "search/listdirectory": LIST,
  listdirectory: LIST,
  execute: SHELL,
  "execute/runinterminal": SHELL,
  runinterminal: SHELL,
  runcommands: SHELL,
  terminal: SHELL,
  powershell: SHELL,
  web: ["web_fetch", "web_search"],
  "web/fetch": FETCH,
  fetch: FETCH,
  "agent/runsubagent": AGENT,
  runsubagent: AGENT,
  "custom-agent": AGENT,
};

/** Groups of Copilot's own tools: what stands before the slash is no server. */
export const COPILOT_GROUPS: readonly string[] = [
  "agent",
  "browser",
  "edit",
  "execute",
  "new",
  "read",
  "runcommands",
  "runtasks",
  "search",
  "todo",
  "vscode",
  "web",
];

/** What a denial takes along: who may not write a file may not delete it either, where the other program has no such tool. */
const DENIED_WITH: ToolNames = {
  write_file: ["delete_file"],
  agent: ["spawn_agent", "delegate"],
};

/** Our tools for the name of another program's; empty when there are none, undefined when nobody knows the name. */
export function toolsOf(name: string, own: ToolNames = {}): readonly string[] | undefined {
  const key = name.toLowerCase();
  if (Object.hasOwn(own, key)) return own[key];
  return Object.hasOwn(TOOLS, key) ? TOOLS[key] : undefined;
}

/** What must be denied so that nothing of what these tools do stays possible. */
export function deniedWith(tools: readonly string[]): readonly string[] {
  return tools.flatMap((tool) => [tool, ...(DENIED_WITH[tool] ?? [])]);
}
