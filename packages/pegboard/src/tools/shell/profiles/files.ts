import type { Profile } from "../profile.ts";

/** Programs that look at files and folders, without following links that lie below what they are given. */
export const FILES: Readonly<Record<string, Profile>> = {
  ls: {
    options:
      "-a -A -l -h -t -r -S -1 -d -F -R -s -i -n -p -x -C -m -Q -b -B -G -g -o -q -u -U -v -X -Z --all --almost-all --human-readable --directory --classify[=] --reverse --recursive --size --inode --color[=] --group-directories-first --sort= --time= --time-style= --full-time --si --ignore= --hide= --format= --no-group --numeric-uid-gid --file-type",
    operands: ["path"],
  },
  cat: {
    options:
      "-A -b -e -E -n -s -t -T -u -v --number --number-nonblank --squeeze-blank --show-all --show-ends --show-tabs --show-nonprinting",
    operands: ["path"],
  },
  head: { options: "-# -n= -c= -q -v -z --lines= --bytes= --quiet --silent --verbose", operands: ["path"] },
  tail: { options: "-# -n= -c= -q -v -z --lines= --bytes= --quiet --silent --verbose", operands: ["path"] },
  wc: { options: "-c -m -l -L -w --bytes --chars --lines --max-line-length --words", operands: ["path"] },
  stat: { options: "-c= -f -t --format= --printf= --file-system --terse", operands: ["path"] },
  file: { options: "-b -i -I --brief --mime --mime-type --mime-encoding -N -0 -k", operands: ["path"] },
  du: {
    options:
      "-a -c -h -k -m -s -x -S -d= --all --total --human-readable --summarize --max-depth= --apparent-size --exclude= --si --one-file-system -b --bytes --time",
    operands: ["path"],
  },
  df: {
    options: "-a -h -i -k -l -T -P --human-readable --inodes --local --print-type --total --output[=] -t= -x=",
    operands: ["path"],
  },
  // In a bundle of its letters, each takes its value from the words behind: -Lo would write a file.
  tree: {
    whole: true,
    options:
      "-a -d -f -i -s -h -p -u -g -D -F -L= -P= -I= -C -n -r -t --noreport --dirsfirst --gitignore --prune --filelimit= --du --si --charset= -J -X -A -S",
    operands: ["path"],
  },
  diff: {
    options:
      "-u -c -q -s -y -w -b -B -i -a -E -t -T -U= -C= -W= --unified[=] --context[=] --brief --report-identical-files --side-by-side --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --text --color[=] --width= --suppress-common-lines --strip-trailing-cr --label=",
    operands: ["file"],
  },
  cmp: { options: "-b -l -s --silent --quiet --verbose --print-bytes -n= --bytes=", operands: ["path"] },
  basename: { options: "-a -s= -z --multiple --suffix= --zero", operands: ["text"] },
  dirname: { options: "-z --zero", operands: ["text"] },
  realpath: {
    options: "-e -m -q -s -z --canonicalize-existing --canonicalize-missing --no-symlinks",
    operands: ["path"],
  },
  readlink: { options: "-f -e -m -n -q", operands: ["path"] },
  md5sum: { options: "-b -t --tag", operands: ["path"] },
  sha1sum: { options: "-b -t --tag", operands: ["path"] },
  sha256sum: { options: "-b -t --tag", operands: ["path"] },
  find: {
    whole: true,
    options:
      "-name= -iname= -path= -ipath= -wholename= -regex= -iregex= -regextype= -type= -maxdepth= -mindepth= -size=any -mtime=any -mmin=any -ctime=any -cmin=any -atime=any -amin=any -newer=path -empty -perm=any -user= -group= -links=any -inum=any -not -a -and -o -or -prune -print -print0 -depth -mount -xdev -quit -true -false -readable -writable -executable -daystart -P",
    operands: ["path"],
  },
  // Listing only: taking out writes, and many options run programs. A colon in the name of an archive means another machine,
  // and the first word is options even without a dash.
  tar: {
    options: "-t -v -f=local -z -j -J --list --verbose --file=local --gzip --bzip2 --xz --zstd --totals",
    operands: ["text"],
    check: ({ argv: [, first = ""], options }) =>
      first.startsWith("-") && (options.has("-t") || options.has("--list")) ? undefined : "tar would do more than list",
  },
};
