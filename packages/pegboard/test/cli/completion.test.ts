import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { makePlace } from "./run.ts";

describe("in a real bash", () => {
  test("commands, subcommands and options are completed", async () => {
    const place = makePlace();
    const { code, stdout } = await place.run("completion", "bash");
    expect(code).toBe(0);
    place.write("completion.bash", stdout);
    execFileSync("bash", ["-n", place.path("completion.bash")]);
    const complete = (...words: string[]) => {
      const script = `source completion.bash; complete -p pegboard >/dev/null || exit 1
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pegboard; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const output = execFileSync("bash", ["-c", script, "bash", "pegboard", ...words], {
        cwd: place.folder,
        encoding: "utf8",
      });
      return output.split("\n").filter((word) => word !== "");
    };
    expect(complete("cal")).toEqual(["call"]);
    expect(complete("policy", "")).toContain("explain");
    expect(complete("config", "s")).toEqual(["show"]);
    expect(complete("call", "hello", "--ti")).toEqual(["--timeout"]);
    expect(complete("--quiet", "log", "--l")).toEqual(["--last"]);
    expect(complete("list", "--ti")).toEqual([]);
  });
});

test("zsh and fish have scripts of the same commands", async () => {
  const place = makePlace();
  expect((await place.run("completion", "zsh")).stdout).toMatch(/^#compdef pegboard\n/);
  expect((await place.run("completion", "fish")).stdout).toContain(
    "complete -c pegboard -n '__fish_use_subcommand' -f -a call -d 'Call a tool through the whole pipeline'",
  );
});

test("another shell is wrong usage", async () => {
  expect(await makePlace().run("completion", "tcsh")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("there are bash, zsh, fish"),
  });
});
