// Runs before the program: opens every database with `synchronous = NORMAL`, as if Pegboard did.
import { DatabaseSync } from "node:sqlite";

const { exec } = DatabaseSync.prototype;
let weakened = 0;
DatabaseSync.prototype.exec = function (sql) {
  if (sql.includes("synchronous = FULL")) weakened++;
  return exec.call(this, sql.replace("synchronous = FULL", "synchronous = NORMAL"));
};
process.on("exit", () => {
  if (weakened === 0) process.exitCode = 1;
});
