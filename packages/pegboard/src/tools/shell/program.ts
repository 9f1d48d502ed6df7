/** Programs that read shell text and run it. */
const SHELLS = words("sh bash dash ash zsh ksh mksh fish csh tcsh rbash busybox toybox eval source .");

/** Programs that run code of another language. */
const INTERPRETERS = words(
  "node nodejs deno bun tsx ts-node python python2 python3 pypy pypy3 ipython perl ruby irb php lua luajit tclsh expect awk gawk mawk nawk osascript pwsh powershell r rscript julia groovy scala jshell java guile racket elixir iex erl ghci vim vi nvim ed ex emacs gdb lldb sqlite3 psql mysql",
);

/** Programs that run the program they are given. */
const WRAPPERS = words(
  "env nohup timeout gtimeout nice ionice xargs sudo doas su runuser command exec builtin time setsid stdbuf unbuffer chroot unshare nsenter bwrap firejail flock watch parallel script ssh mosh rsync strace ltrace perf valgrind taskset chrt cgexec systemd-run at batch crontab tmux screen dtach entr direnv fakeroot proxychains proxychains4 torsocks prlimit choom setpriv capsh pkexec npx pnpx bunx uvx pipx corepack docker podman nerdctl kubectl oc vagrant find fd trap coproc alias make gmake ninja just task npm pnpm yarn uv poetry pipenv hatch tox cargo go rustup pyenv nvm rbenv mise asdf nix nix-shell ld.so",
);

/** What only a shell itself can do. */
const BUILTINS = words(
  "cd pushd popd dirs export declare typeset local readonly unset set shopt eval exec source . : alias unalias trap wait jobs fg bg disown suspend ulimit umask read mapfile readarray getopts shift return break continue exit logout history fc hash type command builtin enable caller bind complete compgen compopt let times coproc",
);

/** Whether a program runs what it reads as shell text. */
export function isShell(name: string): boolean {
  return SHELLS.has(nameOf(name)) || SHELLS.has(withoutVersion(name));
}

/** Whether a program runs code: what its arguments say cannot be told from their shape. */
export function isInterpreter(name: string): boolean {
  return isShell(name) || INTERPRETERS.has(nameOf(name)) || INTERPRETERS.has(withoutVersion(name));
}

/** Whether a program may run what its arguments name. */
export function isCarrier(name: string): boolean {
  return isInterpreter(name) || WRAPPERS.has(nameOf(name));
}

/** Whether there is no such program, only a word that shells understand. */
export function isBuiltin(name: string): boolean {
  return BUILTINS.has(name);
}

/** The name of a program without its folder and, as on systems that know no case and leave out what ends it, in small. */
export function nameOf(program: string): string {
  return program
    .slice(Math.max(program.lastIndexOf("/"), program.lastIndexOf("\\")) + 1)
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat|com)$/, "");
}

// `python3.12`, `bash-5.2`
function withoutVersion(program: string): string {
  return nameOf(program).replace(/-?\d[\d.]*$/, "");
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
