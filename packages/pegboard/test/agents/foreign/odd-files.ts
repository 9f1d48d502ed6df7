/** A file as people have them, and what it says to whoever reads it with care. */
export interface OddFile {
  /** What is odd about it. */
  readonly oddity: string;
  readonly path: string;
  readonly text: string;
  readonly name: string;
  readonly description: string;
  /** In our words; undefined is what agents have by default. */
  readonly tools?: readonly string[] | undefined;
}

/** How often, of a thousand files, an oddity is seen, and how it looks. */
interface Oddity {
  readonly name: string;
  readonly weight: number;
  write(parts: Parts): Omit<OddFile, "oddity">;
}

/** What a file is made of. */
interface Parts {
  readonly index: number;
  readonly name: string;
  readonly description: string;
  readonly body: string;
}

const TOPICS = ["review", "tests", "release", "schema", "docs", "billing", "search", "login"];
const VERBS = ["Checks", "Writes", "Plans", "Explains", "Repairs", "Measures"];

/** So many files, always the same: as many of each oddity as there are at large, and at least one. */
export function oddFiles(count: number): OddFile[] {
  const total = ODDITIES.reduce((sum, { weight }) => sum + weight, 0);
  const files: OddFile[] = [];
  for (const oddity of ODDITIES) {
    const share = Math.max(1, Math.round((oddity.weight / total) * count));
    for (let turn = 0; turn < share; turn++)
      files.push({ oddity: oddity.name, ...oddity.write(toParts(files.length)) });
  }
  return files;
}

function toParts(index: number): Parts {
  const topic = TOPICS[index % TOPICS.length]!;
  const verb = VERBS[index % VERBS.length]!;
  return {
    index,
    name: `${topic}-helper-${index}`,
    description: `${verb} the ${topic} part of a project, number ${index}`,
    body: `You take care of ${topic}.\n\n## How\n\n${`${verb} one thing after the other, and say what you saw.\n`.repeat(20)}`,
  };
}

const CLAUDE = { tools: "Read, Grep, Bash", own: ["read_file", "search_files", "shell"] };

/** A file of Claude Code with these lines besides name and description. */
function claude({ name, description, body }: Parts, lines: string, tools?: readonly string[]): Omit<OddFile, "oddity"> {
  const text = `---\nname: ${name}\ndescription: ${description}\n${lines}---\n\n${body}`;
  return { path: `team/agents/${name}.md`, text, name, description, tools };
}

/** The same with a description that is written in its own way. */
function described(parts: Parts, written: string, description: string): Omit<OddFile, "oddity"> {
  const { name, body } = parts;
  const text = `---\nname: ${name}\ndescription: ${written}\ntools: ${CLAUDE.tools}\nmodel: sonnet\n---\n${body}`;
  return { path: `team/agents/${name}.md`, text, name, description, tools: CLAUDE.own };
}

function whole(parts: Parts, change: (text: string) => string): Omit<OddFile, "oddity"> {
  const file = claude(parts, `tools: ${CLAUDE.tools}\n`, CLAUDE.own);
  return { ...file, text: change(file.text) };
}

const ODDITIES: readonly Oddity[] = [
  { name: "nothing", weight: 250, write: (parts) => claude(parts, "model: sonnet\n") },
  { name: "tools as a text", weight: 410, write: (parts) => claude(parts, `tools: ${CLAUDE.tools}\n`, CLAUDE.own) },
  {
    name: "tools as a list",
    weight: 117,
    write: (parts) => claude(parts, "tools: [Read, Write, WebFetch]\n", ["read_file", "write_file", "web_fetch"]),
  },
  {
    name: "tools that nobody has here",
    weight: 85,
    write: (parts) => claude(parts, "tools: Read, TodoWrite, NotebookEdit, FancyTool\n", ["read_file"]),
  },
  {
    name: "tools of servers",
    weight: 68,
    write: (parts) =>
      claude(parts, "tools: Read, mcp__docs__get-page, mcp__tracker\n", ["read_file", "docs__get-page", "tracker__*"]),
  },
  {
    name: "a tool for certain inputs",
    weight: 3,
    write: (parts) => claude(parts, "tools: Read, Bash(git log:*, -p)\n", ["read_file"]),
  },
  { name: "all tools", weight: 2, write: (parts) => claude(parts, 'tools: "*"\ncolor: red\n') },
  { name: "no tools", weight: 3, write: (parts) => claude(parts, "tools: []\n", []) },
  { name: "one tool", weight: 4, write: (parts) => claude(parts, "tools: Read\n", ["read_file"]) },
  {
    name: "another spelling of tools",
    weight: 8,
    write: (parts) => claude(parts, "allowedTools: [Read]\n", ["read_file"]),
  },
  { name: "denied tools", weight: 5, write: (parts) => claude(parts, "disallowedTools: Bash\n", ["!shell"]) },
  {
    name: "keys of nobody",
    weight: 180,
    write: (parts) =>
      claude(parts, "emoji: 🔧\nvibe: calm\ncapabilities: [a, b]\ncolor: blue\ncategory: x\ntools: Read\n", [
        "read_file",
      ]),
  },
  {
    name: "a colon in the description",
    weight: 70,
    write: (parts) =>
      described(parts, `${parts.description}. Example: user: hello`, `${parts.description}. Example: user: hello`),
  },
  {
    name: "examples in the description",
    weight: 109,
    write: (parts) => {
      const text = `${parts.description} <example>user says "go" <commentary>then it goes</commentary></example>`;
      return described(parts, text, text);
    },
  },
  {
    name: "line ends that are written out",
    weight: 75,
    write: (parts) => described(parts, `${parts.description}\\n\\nand more`, `${parts.description}\\n\\nand more`),
  },
  {
    name: "a description of several lines",
    weight: 20,
    write: (parts) => described(parts, `|\n  ${parts.description}\n  and more`, `${parts.description}\nand more`),
  },
  {
    name: "a long description",
    weight: 102,
    write: (parts) =>
      described(
        parts,
        `${parts.description} ${"again ".repeat(300)}end`,
        `${parts.description} ${"again ".repeat(300)}end`,
      ),
  },
  {
    name: "a name with blanks",
    weight: 183,
    write: (parts) => ({
      ...claude({ ...parts, name: `Helper ${parts.index}` }, "tools: Read\n", ["read_file"]),
      name: `Helper-${parts.index}`,
    }),
  },
  {
    name: "a name that cannot be one",
    weight: 2,
    write: (parts) => ({
      ...claude({ ...parts, name: "助手" }, "tools: Read\n", ["read_file"]),
      path: `team/agents/${parts.name}.md`,
      name: parts.name,
    }),
  },
  {
    name: "a missing name",
    weight: 2,
    write: (parts) => whole(parts, (text) => text.replace(/name: .*\n/, "")),
  },
  {
    name: "a missing description",
    weight: 2,
    write: (parts) => ({ ...whole(parts, (text) => text.replace(/description: .*\n/, "")), description: "" }),
  },
  { name: "a byte order mark", weight: 1, write: (parts) => whole(parts, (text) => `\uFEFF${text}`) },
  { name: "other line ends", weight: 6, write: (parts) => whole(parts, (text) => text.replaceAll("\n", "\r\n")) },
  { name: "a blank line first", weight: 1, write: (parts) => whole(parts, (text) => `\n${text}`) },
  {
    name: "a code block around it",
    weight: 1,
    write: (parts) => whole(parts, (text) => `\`\`\`markdown\n${text}\n\`\`\`\n`),
  },
  {
    name: "tabs",
    weight: 1,
    write: (parts) => claude(parts, "tools:\n\t- Read\n\t- Grep\n", ["read_file", "search_files"]),
  },
  {
    name: "dashes inside of a value",
    weight: 1,
    write: (parts) => described(parts, `${parts.description} --- and more`, `${parts.description} --- and more`),
  },
  {
    name: "no front matter",
    weight: 22,
    write: ({ name, body }) => ({
      path: `team/.claude/agents/${name}.md`,
      text: body,
      name,
      description: "",
      tools: [],
    }),
  },
  {
    name: "switches of opencode",
    weight: 8,
    write: ({ name, description, body }) => ({
      path: `team/.opencode/agent/${name}.md`,
      text: `---\ndescription: ${description}\nmode: subagent\nmodel: anthropic/claude-sonnet-4\ntools:\n  write: false\n  bash: false\n---\n${body}`,
      name,
      description,
      tools: ["!edit_file", "!write_file", "!delete_file", "!shell"],
    }),
  },
  {
    name: "modules of Amplifier",
    weight: 20,
    write: ({ name, description, body }) => ({
      path: `team/agents/${name}.md`,
      text: `---\nmeta:\n  name: ${name}\n  description: |\n    ${description}\ntools:\n  - module: tool-bash\n    source: git+https://example.com/bash\nmodel_role: coding\n---\n${body}`,
      name,
      description,
      tools: ["shell"],
    }),
  },
  {
    name: "tools of Copilot",
    weight: 100,
    write: ({ name, description, body }) => ({
      path: `team/${name}.agent.md`,
      text: `---\ndescription: '${description}'\ntools: ['edit/editFiles', 'search', 'github/*', 'problems']\nmodel: ['GPT-4.1', 'Claude Sonnet 4.5']\n---\n${body}`,
      name,
      description,
      tools: ["edit_file", "write_file", "search_files", "glob", "github__*"],
    }),
  },
  {
    name: "tools of Gemini",
    weight: 10,
    write: ({ name, description, body }) => ({
      path: `team/.gemini/agents/${name}.md`,
      text: `---\nkind: local\nname: ${name}\ndescription: ${description}\ntools: [read_many_files, run_shell_command, mcp_docs_*]\nmax_turns: 9\n---\n${body}`,
      name,
      description,
      tools: ["read_file", "shell", "docs__*"],
    }),
  },
];
