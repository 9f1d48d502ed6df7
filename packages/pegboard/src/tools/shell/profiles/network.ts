import type { Profile } from "../profile.ts";

const SHOW = "--json= -q=filter --jq=filter -t= --template= -R=slug --repo=slug";
const LIST = `${SHOW} -L= --limit= -s= --state= -l= --label= -a= --assignee= -A= --author= -S= --search= -B= --base= -H= --head=`;
const list: Profile = { options: LIST };
const view: Profile = { options: `${SHOW} -c --comments`, operands: ["slug"] };

/** Programs that ask other machines. What sends, changes or takes a file from its arguments is not covered. */
export const NETWORK: Readonly<Record<string, Profile>> = {
  // -H @file would read a file; -o, -O, -K, -d, -T, -x and many more read, write or send. Any name may lead to a private
  // address, and any address carries what is written in it, so only the one that the rule spells out.
  curl: {
    options:
      "-s -S -f -i -I -v -4 -6 -g --silent --show-error --fail --include --head --verbose --compressed -m= --max-time= --connect-timeout= --retry= -A= --user-agent= --version -V",
    operands: ["spelled"],
  },
  docker: {
    options: "-v --version",
    commands: {
      ps: { options: "-a -q -l -n= -s -f= --all --quiet --latest --size --no-trunc --filter= --format=" },
      images: { options: "-a -q -f= --all --quiet --digests --no-trunc --filter= --format=", operands: ["text"] },
      version: { options: "-f= --format=" },
      info: { options: "-f= --format=" },
      logs: { spelled: true, options: "-t -n= --tail= --since= --until= --timestamps --details", operands: ["text"] },
      inspect: { spelled: true, options: "-s -f= --format= --size --type=", operands: ["text"] },
      top: { operands: ["text"] },
      stats: { options: "--no-stream -a --all --no-trunc --format=", operands: ["text"] },
    },
  },
  gh: {
    options: "--version",
    commands: {
      pr: {
        commands: {
          list,
          view,
          status: { options: SHOW },
          checks: { options: `${SHOW} --required`, operands: ["slug"] },
          diff: { options: "--name-only --patch --color= -R=slug --repo=slug", operands: ["slug"] },
        },
      },
      issue: { commands: { list, view, status: { options: SHOW } } },
      run: {
        commands: {
          list: { options: `${LIST} -b= --branch= -w= --workflow= -u= --user= -e= --event=` },
          view: { options: `${SHOW} --log --log-failed -v --verbose -j= --job= --exit-status`, operands: ["slug"] },
        },
      },
      release: { commands: { list: { options: LIST }, view } },
      repo: { commands: { view, list: { options: LIST, operands: ["slug"] } } },
      workflow: { commands: { list, view: { options: `${SHOW} -y --yaml`, operands: ["slug"] } } },
      status: {},
    },
  },
};
