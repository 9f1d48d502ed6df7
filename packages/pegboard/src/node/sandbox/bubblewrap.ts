import { minimalEnvironment } from "../environment.ts";
import { findProgram } from "../find-program.ts";
import { runProcess } from "../process.ts";
import { confine, type ConfiningPrograms } from "./confine.ts";

/** Whether programs can be confined on this machine. */
export type Bubblewrap =
  | { readonly usable: true; readonly programs: ConfiningPrograms }
  | {
      readonly usable: false;
      readonly reason: string;
      readonly fix: string;
      readonly programs: { readonly prlimit?: string };
    };

let known: Promise<Bubblewrap> | undefined;

/** Tries once whether bubblewrap is there and this kernel lets this user have namespaces. Never rejects. */
export function findBubblewrap(): Promise<Bubblewrap> {
  return (known ??= tryBubblewrap());
}

async function tryBubblewrap(): Promise<Bubblewrap> {
  const env = minimalEnvironment();
  const place = (program: string) => {
    const found = findProgram(program, "/", env);
    return "path" in found ? found.path : undefined;
  };
  const prlimit = process.platform === "linux" ? place("prlimit") : undefined;
  const unusable = (reason: string, fix: string): Bubblewrap => ({
    usable: false,
    reason,
    fix,
    programs: { ...(prlimit && { prlimit }) },
  });
  if (process.platform !== "linux")
    return unusable(
      `there is none for ${process.platform}`,
      "run Pegboard on Linux, in a container or a virtual machine",
    );
  const bwrap = place("bwrap");
  if (bwrap === undefined)
    return unusable("bubblewrap is not installed", "install it, for example with: apt-get install bubblewrap");
  const programs = { bwrap, ...(prlimit && { prlimit }) };
  const { code, stderr } = await runProcess({
    argv: confine(["true"], { cwd: "/" }, programs),
    cwd: "/",
    env,
    timeoutMs: 5_000,
  });
  if (code === 0) return { usable: true, programs };
  return unusable(
    `bubblewrap cannot work here: ${stderr.bytes.toString().trim() || `exit code ${code}`}`,
    "allow unprivileged user namespaces, for example with: sysctl kernel.unprivileged_userns_clone=1",
  );
}
