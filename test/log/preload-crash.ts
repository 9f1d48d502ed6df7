// Runs before the program: kills the process at its n-th crash point, CRASH_AT. There is one before each durable operation,
// and one after those that make something final. At the end of a process that was not killed, the file CRASH_COUNT tells
// how many there were.
import fs, { writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync, StatementSync } from "node:sqlite";

const crashAt = Number(process.env["CRASH_AT"] ?? 0);
const place = process.env["CRASH_COUNT"];
let points = 0;

function point(): void {
  if (++points === crashAt) process.kill(process.pid, "SIGKILL");
}

type Operation = (this: unknown, ...args: unknown[]) => unknown;

/** Wraps functions, or those calls of them that change what is on disk. */
function watch(
  holder: object,
  names: readonly string[],
  final: boolean,
  isDurable: (self: unknown, first: unknown) => boolean = () => true,
): void {
  const operations = holder as Record<string, Operation>;
  const after = <T>(value: T) => (final && point(), value);
  for (const name of names) {
    const operation = operations[name]!;
    operations[name] = function (...args) {
      if (!isDurable(this, args[0])) return operation.apply(this, args);
      point();
      const value = operation.apply(this, args);
      return value instanceof Promise ? value.then(after) : after(value);
    };
  }
}

const handle = await fs.promises.open(process.execPath);
const handles = Object.getPrototypeOf(handle) as object;
await handle.close();
watch(handles, ["write", "writeFile", "truncate"], false);
watch(handles, ["sync", "datasync"], true);
watch(fs, ["writeSync", "ftruncateSync", "mkdirSync", "unlinkSync"], false);
watch(fs, ["fsyncSync", "fdatasyncSync", "renameSync", "rmSync"], true);
watch(fs.promises, ["mkdir", "unlink", "writeFile"], false);
watch(fs.promises, ["rename", "rm"], true);
syncBuiltinESMExports();
watch(
  DatabaseSync.prototype,
  ["exec"],
  true,
  (_, sql) => !/^(BEGIN|ROLLBACK|PRAGMA (synchronous|foreign_keys))/.test(String(sql)),
);
const isWrite = (statement: unknown) => !/^\s*(SELECT|PRAGMA)/i.test((statement as StatementSync).sourceSQL);
watch(StatementSync.prototype, ["all", "run", "get"], false, isWrite);

process.on("exit", () => {
  if (place) writeFileSync(place, String(points));
});
