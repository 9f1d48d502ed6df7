import { filterProblem } from "../kinds.ts";
import type { Profile } from "../profile.ts";

const GREP =
  "-# -n -i -l -L -c -w -x -v -h -H -o -q -s -E -G -F -P -a -I -r -z -Z -b -T -U -y -e=pattern --regexp=pattern -A=number -B=number -C=number -m=number --after-context=number --before-context=number --context=number --max-count=number --color[=] --colour[=] --include= --exclude= --exclude-dir= --line-number --ignore-case --no-ignore-case --files-with-matches --files-without-match --count --word-regexp --line-regexp --invert-match --no-filename --with-filename --only-matching --quiet --silent --no-messages --extended-regexp --fixed-strings --perl-regexp --basic-regexp --text --recursive --null --byte-offset --binary-files= --line-buffered";

const grep: Profile = { options: GREP, operands: ["text", "path"] };

// A script of one command that prints, deletes or substitutes; never e, w, r, or a flag that runs or writes.
const SED =
  /^(?:(?:\d+|\$)(?:,(?:\d+|\$|\+\d+))?|\/[^/\\\n]*\/(?:,\/[^/\\\n]*\/)?)?(?:[pdq=]|s(?<d>[/|#,])[^/|#,\\\n]*\k<d>[^/|#,\\\n]*\k<d>[gpiI\d]*)$/;

// One action that prints fields: awk can open files and run programs anywhere else.
const AWK = /^(?:\/[^/\\\n]*\/ ?)?\{ ?print(?: \$(?:\d+|NF)(?:, ?\$(?:\d+|NF))*)? ?\}$/;

const awk: Profile = {
  options: "-F=",
  operands: ["text", "path"],
  check: ({ operands: [program = ""] }) =>
    AWK.test(program) ? undefined : "the program of awk does more than print fields",
};

/** Programs that turn text into other text. */
export const TEXT: Readonly<Record<string, Profile>> = {
  echo: { options: "-n -e -E", operands: ["text"] },
  printf: { operands: ["text"] },
  pwd: { options: "-L -P" },
  true: { operands: ["text"] },
  false: { operands: ["text"] },
  seq: { options: "-w -s= -f= --equal-width --separator=", operands: ["text"] },
  sleep: { operands: ["text"] },
  date: {
    options: "-u -R -d= -I[=] -r=path --utc --universal --rfc-email --date= --iso-8601[=] --reference=path",
    operands: ["text"],
    check: ({ operands }) => (operands.every((word) => word.startsWith("+")) ? undefined : "date would set the clock"),
  },
  whoami: {},
  id: { options: "-u -g -G -n -r", operands: ["text"] },
  uname: { options: "-a -s -n -r -v -m -p -i -o --all" },
  nproc: { options: "--all" },
  which: { options: "-a -s", operands: ["text"] },
  grep,
  egrep: grep,
  fgrep: grep,
  rg: {
    options:
      "-n -N -i -s -S -l -c -w -x -v -o -q -F -P -a -U -H -I -b -p -. -u -e=pattern --regexp=pattern -A= -B= -C= -m= -g= -t= -T= -r= -M= -j= -d= -E= --after-context= --before-context= --context= --max-count= --glob= --iglob= --type= --type-not= --type-list --files --files-with-matches --files-without-match --count --count-matches --line-number --no-line-number --column --ignore-case --smart-case --case-sensitive --word-regexp --line-regexp --invert-match --fixed-strings --pcre2 --multiline --multiline-dotall --only-matching --quiet --hidden --no-hidden --no-ignore --no-ignore-vcs --no-ignore-parent --no-follow --no-config --no-messages --heading --no-heading --color= --colors= --json --stats --sort= --sortr= --max-depth= --max-filesize= --max-columns= --replace= --trim --vimgrep --with-filename --no-filename --text --null --threads= --passthru --pretty --version -V",
    operands: ["text", "path"],
    check: ({ options, operands }) =>
      options.has("--files") && operands.length > 0 ? "rg --files would list a folder" : undefined,
  },
  sort: {
    options:
      "-b -d -f -g -h -i -M -n -R -r -V -c -C -s -u -z -k= -t= --ignore-leading-blanks --dictionary-order --ignore-case --numeric-sort --human-numeric-sort --reverse --version-sort --unique --stable --key= --field-separator= --check",
    operands: ["path"],
  },
  uniq: {
    options: "-c -d -D -i -u -f= -s= -w= -z --count --repeated --unique --ignore-case --skip-fields= --skip-chars=",
    operands: ["path"],
    check: ({ operands }) => (operands.length > 1 ? "uniq would write its second file" : undefined),
  },
  cut: {
    options:
      "-b= -c= -d= -f= -s -z --bytes= --characters= --delimiter= --fields= --only-delimited --complement --output-delimiter=",
    operands: ["path"],
  },
  tr: { options: "-c -C -d -s -t --complement --delete --squeeze-repeats", operands: ["text"] },
  paste: { options: "-d= -s -z --delimiters= --serial", operands: ["path"] },
  nl: { options: "-b= -n= -w= -s=", operands: ["path"] },
  comm: { options: "-1 -2 -3 -i", operands: ["path"] },
  rev: { operands: ["path"] },
  fold: { options: "-w= -s -b", operands: ["path"] },
  column: { options: "-t -s= -c=", operands: ["path"] },
  jq: {
    options:
      "-r -j -c -s -n -e -S -C -M -a -R --raw-output --join-output --compact-output --slurp --null-input --exit-status --sort-keys --color-output --monochrome-output --ascii-output --raw-input --tab --unbuffered --seq",
    operands: ["text", "path"],
    check: ({ operands: [filter = ""] }) => filterProblem(filter),
  },
  sed: {
    options:
      "-n -E -r -u -z -s --quiet --silent --regexp-extended --unbuffered --null-data --separate --posix --sandbox",
    operands: ["text", "path"],
    check: ({ operands: [script = ""] }) =>
      SED.test(script) ? undefined : "the script of sed may do more than print, delete or substitute",
  },
  awk,
  gawk: awk,
  mawk: awk,
};
