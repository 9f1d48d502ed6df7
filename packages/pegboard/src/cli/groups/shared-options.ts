/** Has a command done by a server that runs. */
export const SERVER = {
  flags: "--server <url>",
  description: "at this server, such as http://127.0.0.1:4747, and in no workspace of this machine",
};

/** Says how long what asks for approval waits for it. */
export const EXPIRES = {
  flags: "--expires <time>",
  description: "how long an approval request waits: 30s, 2h (default: 10m)",
};
