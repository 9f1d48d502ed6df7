// Left out on purpose, here and in every list: what names a program (--ext-diff, --open-files-in-pager, --upload-pack,
// --exec, -S, --show-signature), what writes a file of any name (--output, -o), what reads one of any name
// (--no-index, --contents, -O, --pathspec-from-file, --template), and what opens an editor (-e, -i, -p).

/** What all commands that show changes understand. */
export const DIFF =
  "-p -u --patch -s --no-patch -U[=] --unified[=] --raw --patch-with-raw --indent-heuristic --no-indent-heuristic --minimal --patience --histogram --anchored= --diff-algorithm= --stat[=] --stat-width= --stat-name-width= --stat-count= --compact-summary --numstat --shortstat -X[=] --dirstat[=] --cumulative --summary --patch-with-stat -z --name-only --name-status --color[=] --no-color --color-moved[=] --no-color-moved --color-moved-ws= --word-diff[=] --word-diff-regex= --color-words[=] --no-renames --rename-empty --no-rename-empty --check --ws-error-highlight= --full-index --binary --abbrev[=] --no-abbrev -B[=] --break-rewrites[=] -M[=] --find-renames[=] -C[=] --find-copies[=] --find-copies-harder -D --irreversible-delete -l= --diff-filter= -S= -G= --find-object= --pickaxe-all --pickaxe-regex -R --relative[=path] --no-relative -a --text --ignore-cr-at-eol --ignore-space-at-eol -b --ignore-space-change -w --ignore-all-space --ignore-blank-lines -I= --ignore-matching-lines= --inter-hunk-context= -W --function-context --exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules[=] --submodule[=] --src-prefix= --dst-prefix= --no-prefix --line-prefix= --ita-invisible-in-index";

/** What all commands that walk through commits understand. */
export const REVISIONS =
  "-# -n= --max-count= --skip= --since= --after= --until= --before= --since-as-filter= --max-age= --min-age= --author= --committer= --grep-reflog= --grep= --all-match --invert-grep -i --regexp-ignore-case --basic-regexp -E --extended-regexp -F --fixed-strings -P --perl-regexp --remove-empty --merges --no-merges --min-parents= --max-parents= --no-min-parents --no-max-parents --first-parent --exclude-first-parent-only --not --all --branches[=] --tags[=] --remotes[=] --glob= --exclude= --reflog --ignore-missing --bisect --cherry-mark --cherry-pick --left-only --right-only --cherry -g --walk-reflogs --merge --boundary --simplify-by-decoration --show-pulls --full-history --dense --sparse --simplify-merges --ancestry-path[=] --date-order --author-date-order --topo-order --reverse --no-walk[=] --do-walk --pretty[=format] --format=format --abbrev-commit --no-abbrev-commit --oneline --encoding= --expand-tabs[=] --no-expand-tabs --notes[=] --no-notes --relative-date --date= --parents --children --left-right --graph --no-graph --show-linear-break[=] --count --timestamp";

/** `git log` and its likes. */
export const LOG = `${DIFF} ${REVISIONS} --follow --decorate[=] --no-decorate --decorate-refs= --decorate-refs-exclude= --clear-decorations --source --mailmap --no-mailmap --use-mailmap --log-size -L= -c --cc -m -t --combined-all-paths --no-diff-merges --diff-merges= -q`;

/** `git fetch`, and `git pull` with more. */
export const FETCH =
  "--all --dry-run --depth= --deepen= --unshallow -k --keep -p --prune -P --prune-tags -n --no-tags -t --tags -q --quiet -v --verbose --progress --no-progress -j[=] --jobs[=] --atomic --no-auto-maintenance --no-auto-gc --no-recurse-submodules --set-upstream -4 --ipv4 -6 --ipv6";

/** What commands that list branches and tags understand. */
export const FILTER =
  "--contains[=] --no-contains[=] --merged[=] --no-merged[=] --points-at= --sort= --format=format --color[=] --no-color --column[=] --no-column -i --ignore-case";

/** What commands that work commit by commit understand. */
export const AGAIN = "--abort --continue --skip --quit";

/** What commands that merge understand. */
export const STRATEGY = "-X= --strategy-option=";

/** `git cherry-pick` and `git revert`. */
export const PICK = `${AGAIN} --no-edit -n --no-commit -x -m= --mainline= -s --signoff --ff --allow-empty --keep-redundant-commits ${STRATEGY}`;

/** `git stash`, with or without `push`. */
export const STASH =
  "-k --keep-index --no-keep-index -u --include-untracked -a --all -q --quiet -S --staged -m=any --message=any";
