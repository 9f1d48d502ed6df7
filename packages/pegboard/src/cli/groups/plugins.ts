import type { CommandSpec } from "../command.ts";

type Options = NonNullable<CommandSpec["options"]>;

const USER: Options = [{ flags: "--user", description: "your own plugins, for every workspace" }];
const YES: Options = [{ flags: "--yes", description: "agree without being asked" }];
const NAME = [{ name: "<name>", description: "the plugin's name" }];

const PARTS: Options = [
  { flags: "--tool <name>", description: "only this tool of it (may be repeated)", repeats: true },
  { flags: "--agent <name>", description: "only this agent of it (may be repeated)", repeats: true },
  { flags: "--skill <name>", description: "only this skill of it (may be repeated)", repeats: true },
  { flags: "--command <name>", description: "only this command of it (may be repeated)", repeats: true },
  { flags: "--prompt <name>", description: "only this prompt of it (may be repeated)", repeats: true },
  { flags: "--resource <name>", description: "only this resource of it (may be repeated)", repeats: true },
  { flags: "--mcp-server <name>", description: "only this MCP server of it (may be repeated)", repeats: true },
  { flags: "--hook <point>", description: "only its hook at this point (may be repeated)", repeats: true },
];

const COMMANDS: readonly CommandSpec[] = [
  {
    name: "add",
    usage: "pegboard plugin add",
    description: "Fetch a plugin, show what it brings, and add it; no script of it runs",
    arguments: [
      {
        name: "<source>",
        description:
          "a folder, a .tgz or .zip, npm:package[@version], git:address[#ref]; plugin@ one that is a marketplace",
      },
    ],
    options: [
      ...USER,
      { flags: "--name <name>", description: "what it is called, where it does not say so itself" },
      ...YES,
    ],
    examples: [
      "pegboard plugin add ../my-plugin",
      "pegboard plugin add npm:some-plugin@1.2.0",
      "pegboard plugin add git:https://example.com/plugin.git#v1 --user",
      "pegboard plugin add formatter@git:https://example.com/marketplace.git",
      "pegboard plugin add plugin.tgz --yes --json",
    ],
    load: async () => (await import("../commands/plugin-add.ts")).pluginAdd,
  },
  {
    name: "remove",
    usage: "pegboard plugin remove",
    description: "Take a plugin away, with its settings; of a linked one the link alone",
    arguments: NAME,
    options: [...USER, ...YES],
    examples: ["pegboard plugin remove some-plugin", "pegboard plugin remove some-plugin --user --yes"],
    load: async () => (await import("../commands/plugin-remove.ts")).pluginRemove,
  },
  {
    name: "enable",
    usage: "pegboard plugin enable",
    description: "Switch a plugin on, or parts of it, in pegboard.yaml",
    arguments: NAME,
    options: [...PARTS, { flags: "--user", description: "for you, in every workspace" }, ...YES],
    examples: ["pegboard plugin enable delegation", "pegboard plugin enable some-plugin --tool search --yes"],
    load: async () => (await import("../commands/plugin-switch.ts")).pluginEnable,
  },
  {
    name: "disable",
    usage: "pegboard plugin disable",
    description: "Switch a plugin off, or parts of it, in pegboard.yaml",
    arguments: NAME,
    options: [...PARTS, { flags: "--user", description: "for you, in every workspace" }],
    examples: [
      "pegboard plugin disable some-plugin",
      "pegboard plugin disable some-plugin --tool delete --agent writer",
      "pegboard plugin disable some-plugin --user",
    ],
    load: async () => (await import("../commands/plugin-switch.ts")).pluginDisable,
  },
  {
    name: "list",
    usage: "pegboard plugin list",
    description: "List the plugins that there are, how each does, and why",
    examples: ["pegboard plugin list", "pegboard plugin list --json"],
    load: async () => (await import("../commands/plugin-list.ts")).pluginList,
  },
  {
    name: "info",
    usage: "pegboard plugin info",
    description: "Show one plugin: status, origin, digest, what it brings, runs and needs",
    arguments: NAME,
    examples: ["pegboard plugin info some-plugin", "pegboard plugin info some-plugin --json"],
    load: async () => (await import("../commands/plugin-info.ts")).pluginInfo,
  },
  {
    name: "config",
    usage: "pegboard plugin config",
    description: "Show the settings of a plugin, or keep some for yourself",
    arguments: [
      ...NAME,
      { name: "[settings...]", description: "key=value, typed by the plugin's schema, or key:=json" },
    ],
    options: [
      {
        flags: "--secret <key>",
        description: "ask for this one, or read it from standard input; it is kept encrypted (may be repeated)",
        repeats: true,
      },
      { flags: "--unset <key>", description: "forget this one (may be repeated)", repeats: true },
    ],
    examples: [
      "pegboard plugin config some-plugin",
      "pegboard plugin config some-plugin region=eu retries=3",
      "pegboard plugin config some-plugin --secret token <token.txt",
      "pegboard plugin config some-plugin --unset region",
    ],
    load: async () => (await import("../commands/plugin-config.ts")).pluginConfig,
  },
  {
    name: "link",
    usage: "pegboard plugin link",
    description: "Use a plugin where it is: edits count at once, and nothing of it is locked",
    arguments: [{ name: "<folder>", description: "the plugin's folder" }],
    options: [...USER, ...YES],
    examples: ["pegboard plugin link ../my-plugin", "pegboard plugin link ../my-plugin --user --yes"],
    load: async () => (await import("../commands/plugin-link.ts")).pluginLink,
  },
  {
    name: "update",
    usage: "pegboard plugin update",
    description: "Fetch plugins anew from where they were added, and show what would change; settings stay",
    arguments: [{ name: "[name]", description: "the plugin's name (default: all that were added)" }],
    options: [...USER, { flags: "--accept", description: "fetch nothing: take its files as they are now" }, ...YES],
    examples: [
      "pegboard plugin update",
      "pegboard plugin update some-plugin --yes",
      "pegboard plugin update some-plugin --accept",
    ],
    load: async () => (await import("../commands/plugin-update.ts")).pluginUpdate,
  },
  {
    name: "new",
    usage: "pegboard plugin new",
    description: "Make a plugin with one tool, a readme, and a test that runs offline",
    arguments: NAME,
    options: [
      {
        flags: "--kind <kind>",
        description: "programs with a manifest, or a module (default: command)",
        choices: ["command", "module"],
      },
      ...USER,
    ],
    examples: ["pegboard plugin new greeter", "pegboard plugin new greeter --kind module"],
    load: async () => (await import("../commands/plugin-new.ts")).pluginNew,
  },
];

/** The command about plugins. */
export const PLUGIN_COMMANDS: readonly CommandSpec[] = [
  { name: "plugin", description: "Add, make, switch and configure plugins", commands: COMMANDS },
];
