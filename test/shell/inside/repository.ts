import { execFileSync } from "node:child_process";
import { appendFileSync, lutimesSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The settings that name programs: none of them is to be started by an option of a command that is allowed. */
const SETTINGS = `
[user]
	name = Somebody
	email = somebody@example.com
[core]
	# Copies are to look unchanged.
	checkStat = minimal
	trustctime = false
	editor = canary editor
	askPass = canary askpass
	sshCommand = canary ssh
	pager = canary pager
[sequence]
	editor = canary sequence
[gpg]
	program = canary
[credential]
	helper = !canary credential
[alias]
	canary = !canary alias
[interactive]
	diffFilter = canary filter
[diff]
	tool = canary
[difftool "canary"]
	cmd = canary difftool
[merge]
	tool = canary
[mergetool "canary"]
	cmd = canary mergetool
[diff "canary"]
	command = canary diff
	textconv = canary textconv
[merge "canary"]
	driver = canary merge
[filter "canary"]
	clean = canary clean
	smudge = canary smudge
[trailer "canary"]
	command = canary trailer
[web]
	browser = canary
[browser "canary"]
	cmd = canary browser
[remote "origin"]
	url = ../remote.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[pager]
	log = canary pager
	grep = canary pager
`;

const SIGNED = `author Somebody <somebody@example.com> 1000000000 +0000
committer Somebody <somebody@example.com> 1000000000 +0000
gpgsig -----BEGIN PGP SIGNATURE-----
 
 iHUEABYIAB0WIQQ=
 -----END PGP SIGNATURE-----

signed
`;

/**
 * Makes a repository of the files in a folder: two branches, tags, a stash, a remote, a signed commit, changes that are not
 * recorded. Afterwards its files look old, so that git sees no reason to look at them anew.
 */
export function makeRepository(folder: string, env: Readonly<Record<string, string>>): void {
  const run = (program: string, args: readonly string[], input = "") =>
    execFileSync(program, args, { cwd: folder, env, input, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] }).trim();
  const git = (...args: readonly string[]) => run("git", args);
  const change = (file: string) => appendFileSync(join(folder, file), "more\n");
  git("init", "-q", "-b", "main", "--template=", ".");
  git("init", "-q", "--bare", "-b", "main", "--template=", "../remote.git");
  appendFileSync(join(folder, ".git", "config"), SETTINGS);
  run("tar", ["-cf", "archive.tar", "a.txt", "sub"]);
  run("tar", ["-czf", "archive.tgz", "a.txt"]);
  git("add", ".");
  git("commit", "-qm", "one");
  git("tag", "-am", "first", "v1");
  change("a.txt");
  git("commit", "-qam", "two");
  git("switch", "-qc", "dev", "HEAD~1");
  change("sub/c.txt");
  git("commit", "-qam", "three");
  git("switch", "-q", "main");
  const [tree, parent] = [git("rev-parse", "HEAD^{tree}"), git("rev-parse", "HEAD")];
  const signed = run(
    "git",
    ["hash-object", "-t", "commit", "-w", "--stdin"],
    `tree ${tree}\nparent ${parent}\n${SIGNED}`,
  );
  git("reset", "-q", "--hard", signed);
  git("push", "-q", "origin", "main", "dev");
  git("fetch", "-q");
  git("branch", "-q", "-u", "origin/main");
  change("b.txt");
  git("stash", "-q");
  git("notes", "add", "-m", "a note");
  // Fewer files are looked through faster.
  git("gc", "-q", "--prune=now");
  change("a.txt");
  change("sub/d.txt");
  git("add", "sub/d.txt");
  writeFileSync(join(folder, "untracked.txt"), "new\n");
  mkdirSync(join(folder, "empty"));
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    if (!name.startsWith(".git")) lutimesSync(join(folder, name), 1e9, 1e9);
  git("update-index", "-q", "--refresh");
  // What is written in the same second as the index has to be read again, each time.
  const later = Date.now() / 1000 + 3_600;
  lutimesSync(join(folder, ".git", "index"), later, later);
}
