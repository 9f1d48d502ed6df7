import type { Parts, Profile } from "../profile.ts";
import { AGAIN, DIFF, FETCH, FILTER, LOG, PICK, REVISIONS, STASH, STRATEGY } from "./git-options.ts";

const log: Profile = { options: LOG, operands: ["path"] };
/**
 * What a rule for git covers: looking at a repository and working in it. Never what takes configuration, a program or a
 * file of any name from its arguments; pushing, and losing changes that were not committed, only where the rule says so.
 */
export const GIT: Profile = {
  // The settings of a repository name programs, and those of one that came with other files are nobody's choice.
  place: (folder) => (folder.isForeign() ? "the folder has a repository of its own" : undefined),
  options: "--version -v --no-pager -P --no-optional-locks --literal-pathspecs --no-replace-objects",
  commands: {
    add: {
      options:
        "-A --all --no-all -u --update -n --dry-run -v --verbose -f --force -N --intent-to-add --refresh --ignore-errors --ignore-missing --renormalize --chmod=+x|-x",
      operands: ["path"],
    },
    blame: {
      options:
        "-# -L= -l -t -f -n -s -e -w -M[=] -C[=] -p -c -b --porcelain --line-porcelain --incremental --root --show-stats --show-name --show-number --show-email --date= --since= --abbrev[=] --ignore-rev= --first-parent --color-lines --color-by-age",
      operands: ["path"],
    },
    branch: {
      options: `-a --all -r --remotes -l --list -v --verbose -q --quiet --show-current ${FILTER} --abbrev[=] --no-abbrev -t --track[=] --no-track -u= --set-upstream-to= --unset-upstream -m --move -c --copy -d --delete`,
      operands: ["path"],
    },
    "cat-file": { options: "-t -s -e -p", operands: ["path"] },
    "check-attr": { options: "-a --all --cached", operands: ["path"] },
    "check-ignore": { options: "-q --quiet -v --verbose -n --non-matching", operands: ["path"] },
    checkout: {
      options:
        "-b= -q --quiet --progress --no-progress -t --track[=] --no-track --guess --no-guess -l -d --detach --orphan=",
      operands: ["revision"],
    },
    cherry: { options: "-v --abbrev[=]", operands: ["path"] },
    "cherry-pick": { options: PICK, operands: ["path"] },
    commit: {
      options:
        "-a --all -m=any --message=any -F=path --file=path --author= --date= --amend --no-edit --allow-empty --allow-empty-message -s --signoff --no-signoff -v --verbose -q --quiet --dry-run --short --branch --porcelain --long -z -i --include -o --only -u[=] --untracked-files[=] --cleanup= --status --no-status --fixup= --squash= -C= --reuse-message= --reset-author --no-gpg-sign",
      operands: ["path"],
    },
    clean: {
      options: "-n --dry-run -d -x -X -e= --exclude= -q --quiet",
      operands: ["path"],
      check: ({ options }) => (options.has("-n") || options.has("--dry-run") ? undefined : "git clean would delete"),
    },
    config: {
      options: "--get --get-all --show-origin --show-scope --local --type= --bool --int -z --null --default=",
      operands: ["text"],
      check: readsConfig,
    },
    "count-objects": { options: "-v --verbose -H --human-readable" },
    describe: {
      options:
        "--all --tags --contains --abbrev[=] --candidates= --exact-match --debug --long --match= --exclude= --always --first-parent --dirty[=] --broken[=]",
      operands: ["path"],
    },
    diff: { options: `${DIFF} -# --cached --staged --merge-base --base --ours --theirs`, operands: ["path"] },
    "diff-files": { options: `${DIFF} -# -c --cc -q`, operands: ["path"] },
    "diff-index": { options: `${DIFF} -m --cached --merge-base`, operands: ["path"] },
    "diff-tree": {
      options: `${DIFF} -r -t -m --root --no-commit-id -c --cc --merge-base --pretty[=format] --format=format --oneline`,
      operands: ["path"],
    },
    fetch: { options: FETCH, operands: ["remote", "refspec"] },
    "for-each-ref": { options: `--count= ${FILTER} -s --shell`, operands: ["path"] },
    grep: {
      options:
        "-n -i -l -L -c -w -v -h -H -o -q -E -G -F -P -a -I -r -e=pattern --and --or --not -A=number -B=number -C=number -p -W -m=number --heading --break --cached --untracked --no-color --color[=] --name-only --files-with-matches --files-without-match --count --line-number --column --ignore-case --word-regexp --invert-match --basic-regexp --extended-regexp --fixed-strings --perl-regexp --only-matching --max-depth= --threads= --max-count=number --all-match --full-name --recursive --no-recursive --show-function --function-context --quiet --text",
      operands: ["text", "path"],
    },
    log,
    "ls-files": {
      options:
        "-c -d -m -o -i -s -u -k -t -v -f -z --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory --no-empty-directory --eol --full-name --error-unmatch --abbrev[=] --exclude-standard -x= --exclude= --with-tree= --format= --deduplicate --sparse",
      operands: ["path"],
    },
    "ls-remote": {
      options: "-h --heads -b --branches -t --tags --refs -q --quiet --exit-code --symref --get-url",
      operands: ["remote", "text"],
    },
    "ls-tree": {
      options:
        "-d -r -t -l --long -z --name-only --name-status --object-only --full-name --full-tree --abbrev[=] --format=",
      operands: ["path"],
    },
    merge: {
      options: `${AGAIN} --ff --no-ff --ff-only --squash --no-squash --commit --no-commit --stat --no-stat -n -q --quiet -v --verbose -m=any --no-edit -s=ort|recursive|resolve|octopus|ours|subtree ${STRATEGY} --allow-unrelated-histories --autostash --no-autostash --signoff --log[=] --no-log --progress --no-progress`,
      operands: ["path"],
    },
    "merge-base": { options: "-a --all --octopus --independent --is-ancestor --fork-point", operands: ["path"] },
    // It moves first and looks at the name after that.
    mv: { options: "-n --dry-run -v --verbose -k", operands: ["tree"] },
    "name-rev": { options: "--tags --refs= --exclude= --all --name-only --no-undefined --always", operands: ["path"] },
    notes: { commands: { list: { operands: ["path"] }, show: { operands: ["path"] } } },
    pull: {
      options: `${FETCH} --ff --no-ff --ff-only -r --rebase[=true|false|merges] --no-rebase --no-edit --autostash --no-autostash --stat --no-stat --squash --no-squash --commit --no-commit`,
      operands: ["remote", "refspec"],
    },
    push: {
      spelled: true,
      options:
        "-u --set-upstream -n --dry-run --porcelain -q --quiet -v --verbose --progress --no-progress --tags --follow-tags --atomic",
      operands: ["remote", "refspec"],
    },
    rebase: {
      options: `${AGAIN} --onto= --autostash --no-autostash --autosquash --no-autosquash -q --quiet -v --verbose --stat --no-stat -n --rebase-merges[=] --fork-point --no-fork-point --keep-empty --no-keep-empty --update-refs --no-update-refs --committer-date-is-author-date --ignore-date -m --merge ${STRATEGY}`,
      operands: ["path"],
    },
    reflog: { options: LOG, commands: { show: log, exists: { operands: ["path"] } } },
    remote: {
      options: "-v --verbose",
      commands: {
        show: { options: "-n", operands: ["remote"] },
        "get-url": { options: "--all --push", operands: ["remote"] },
      },
    },
    reset: { options: "-q --quiet --no-quiet --soft --mixed -N --intent-to-add", operands: ["path"] },
    restore: {
      spelled: true,
      options:
        "-s= --source= -S --staged -W --worktree -q --quiet --progress --no-progress --ours --theirs -m --merge --overlay --no-overlay",
      operands: ["path"],
    },
    revert: { options: PICK, operands: ["path"] },
    "rev-list": {
      options: `${LOG} --objects --objects-edge --use-bitmap-index --header --disk-usage[=]`,
      operands: ["path"],
    },
    "rev-parse": {
      options: `${REVISIONS} --show-toplevel --abbrev-ref[=] --short[=] --verify -q --quiet --symbolic --symbolic-full-name --git-dir --absolute-git-dir --git-common-dir --show-prefix --show-cdup --show-superproject-working-tree --is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository --show-object-format[=] --revs-only --no-revs --flags --no-flags --default= --sq --git-path= --path-format=`,
      operands: ["path"],
    },
    rm: { options: "--cached -r -n --dry-run -q --quiet --ignore-unmatch", operands: ["path"] },
    shortlog: {
      options: `${REVISIONS} -n -s -e -c -w[=] --numbered --summary --email --committer --group=`,
      operands: ["path"],
    },
    show: log,
    "show-branch": {
      options:
        "-a --all -r --remotes --current --topo-order --date-order --sparse --more[=] --list --independent --merge-base --no-name --sha1-name --topics --color[=] --no-color",
      operands: ["path"],
    },
    "show-ref": {
      options: "--head --heads --branches --tags -d --dereference -s --hash[=] --verify -q --quiet --abbrev[=]",
      operands: ["path"],
    },
    stash: {
      options: STASH,
      commands: {
        list: log,
        show: { options: `${DIFF} --include-untracked --only-untracked`, operands: ["path"] },
        push: { options: STASH, operands: ["path"] },
        pop: { options: "--index -q --quiet", operands: ["path"] },
        apply: { options: "--index -q --quiet", operands: ["path"] },
      },
    },
    status: {
      options:
        "-s --short -b --branch --show-stash --porcelain[=] --long -v --verbose -u[=] --untracked-files[=] --ignore-submodules[=] --ignored[=] -z --column[=] --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames[=]",
      operands: ["path"],
    },
    submodule: { commands: { status: { options: "--cached --recursive", operands: ["path"] } } },
    switch: {
      options:
        "-c= --create= -d --detach --guess --no-guess -q --quiet --progress --no-progress -t --track[=] --no-track --orphan=",
      operands: ["path"],
    },
    "symbolic-ref": {
      options: "--short -q --quiet",
      operands: ["path"],
      check: ({ operands }) => (operands.length > 1 ? "git symbolic-ref would change a reference" : undefined),
    },
    tag: {
      options: `-l --list -n[=] -a --annotate -m=any --message=any -F=path --file=path ${FILTER} --no-sign`,
      operands: ["path"],
    },
    version: { options: "--build-options" },
    whatchanged: log,
    worktree: { commands: { list: { options: "--porcelain -v --verbose -z" } } },
  },
};

// Many keys name programs and some hold tokens, so only what is read, and only of sections without either.
function readsConfig({ operands, options }: Parts): string | undefined {
  const [key, ...rest] = operands;
  if (rest.length > 0 || (key === undefined && options.size > 0))
    return "git config would do more than read one setting";
  return key !== undefined && /^(?:user|branch|core|init|pull|push|merge|diff|color|status|log)\.[\w./-]+$/i.test(key)
    ? undefined
    : "only some settings may be read";
}
