import type { Profile } from "../profile.ts";

/** Programs that run code: a rule without `unsafe` covers no more than asking for their version. */
const interpreter = (options = "--version"): Profile => ({
  options,
  check: (parts) => (parts.options.size > 0 ? undefined : "it would run the code that it reads"),
});

// What runs scripts of the project is covered only where the rule says which, and without arguments for them.
const quiet = "-s --silent --if-present";
const script: Profile = { spelled: true, options: quiet, operands: ["spelled"] };
const bare: Profile = { spelled: true, options: quiet };
const install: Profile = {
  spelled: true,
  options: "-s --silent --ignore-scripts --no-audit --no-fund --offline --prefer-offline --frozen-lockfile --immutable",
};
const list: Profile = { options: "-a --all --depth= --json --long --parseable --prod --dev", operands: ["text"] };
const asking: Profile = { spelled: true, options: "--json --long", operands: ["text"] };
const audit: Profile = { spelled: true, options: "--json --omit= --audit-level= --prod" };

// Files of the project can make npm run another git where it asks a registry, and pnpm and yarn run code at every start.
const scripts = { test: bare, start: bare, run: script, install, outdated: asking, audit };
const npm = {
  ...scripts,
  t: bare,
  "run-script": script,
  ci: install,
  ls: list,
  list,
  why: list,
  explain: list,
  root: {},
  prefix: {},
  view: asking,
  info: asking,
};
const pnpm = { ...scripts, t: bare, ls: asking, list: asking, why: asking };
const yarn = { ...scripts, list: asking, info: asking, why: asking };

const BUILD =
  "-q --quiet -v --verbose --release -r --workspace --all --all-targets --lib --bins --tests --examples --all-features --no-default-features -F= --features= -p= --package= --bin= --test= --example= -j= --jobs= --locked --offline --frozen --no-run --no-fail-fast --message-format= --color=";
const cargo = { spelled: true, options: BUILD, operands: ["spelled"] } as const satisfies Profile;

const GO =
  "-v -x -n -race -short -cover -json -m -u -count= -run= -bench= -timeout= -parallel= -cpu= -tags= -failfast -f=";
const go = { spelled: true, whole: true, options: GO, operands: ["path"] } as const satisfies Profile;

const pip: Profile = {
  options: "-V --version",
  commands: {
    list: { options: "--format= -o --outdated --not-required -l --local" },
    show: { options: "-f --files", operands: ["text"] },
    freeze: { options: "--all -l --local" },
    check: {},
  },
};

const VITEST =
  "--reporter=default|verbose|dot|json|tap|basic --no-color --color -t= --testNamePattern= --bail= --silent[=] --passWithNoTests";

const jest: Profile = {
  options:
    "--ci --silent --verbose -t= --testNamePattern= --bail[=] -b --runInBand -i --testPathPattern= --listTests --passWithNoTests --onlyChanged -o --no-color --color --maxWorkers= -w= --version",
  operands: ["path"],
};

/** Programs that build, check and test a project. Most load code of the project: a rule that names one says yes to that. */
export const PROJECT: Readonly<Record<string, Profile>> = {
  node: interpreter("--version -v"),
  deno: interpreter(),
  bun: interpreter(),
  python: interpreter("--version -V"),
  python3: interpreter("--version -V"),
  ruby: interpreter(),
  perl: interpreter(),
  php: interpreter(),
  npm: { options: "-v --version -s --silent", commands: npm },
  pnpm: { commands: pnpm, check: () => "a file of the project may say which pnpm that is" },
  yarn: { commands: yarn, check: () => "yarn alone installs" },
  make: {
    options: "-s -k -n -B --silent --quiet --keep-going --dry-run --just-print -j[=] --jobs[=] --no-print-directory",
    operands: ["spelled"],
    check: ({ operands }) => (operands.length > 0 ? undefined : "only a rule that spells out a target covers it"),
  },
  // A file of the project may say which cargo that is.
  cargo: {
    options: "-q --quiet --locked --offline --frozen",
    commands: {
      build: cargo,
      check: cargo,
      test: cargo,
      clippy: cargo,
      doc: cargo,
      bench: cargo,
      tree: {
        spelled: true,
        options:
          "-p= --package= --depth= -e= --edges= -i= --invert= -d --duplicates --all-features --no-dedupe --locked --offline",
      },
      version: { spelled: true },
    },
  },
  go: {
    commands: {
      version: {},
      build: { ...go, options: GO.replace(" -f=", "") },
      test: go,
      vet: go,
      list: { spelled: true, whole: true, options: "-m -u -json -e -deps -test -f=", operands: ["path"] },
      doc: { whole: true, options: "-all -short -src -u", operands: ["text"] },
    },
  },
  pip,
  pip3: pip,
  uv: { options: "-V --version", commands: { version: {} } },
  tsc: {
    options:
      "--noEmit -p=path --project=path -v --version --pretty --strict --skipLibCheck --listFiles --listFilesOnly --showConfig --noErrorTruncation --extendedDiagnostics",
    operands: ["path"],
    check: ({ options, operands }) =>
      ["--noEmit", "--version", "-v", "--showConfig", "--listFilesOnly"].some((one) => options.has(one)) &&
      // The word behind an option may switch it off again.
      !operands.some((one) => /^@|^(?:true|false|null)$/i.test(one))
        ? undefined
        : "tsc would write files, or read its options from one",
  },
  eslint: {
    options:
      "--ext= --quiet --max-warnings= -f=stylish|json|html|json-with-metadata --format=stylish|json|html|json-with-metadata --color --no-color --no-warn-ignored --version -v",
    operands: ["path"],
  },
  prettier: {
    options: "-c --check -l --list-different --no-color --color --log-level= --loglevel= --ignore-unknown -u --version",
    operands: ["path"],
  },
  vitest: {
    options: `${VITEST} --run --version -v`,
    commands: { run: { options: VITEST, operands: ["path"] }, list: { operands: ["path"] } },
  },
  jest,
};
