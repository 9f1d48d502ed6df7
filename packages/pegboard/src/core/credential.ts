/**
 * What credentials of well-known makers look like. Each pattern starts with a fixed text and takes whatever it reads, so
 * that the whole takes linear time. A private key without an end reaches to the end of the text.
 */
const SHAPES: Readonly<Record<string, RegExp>> = {
  "AWS access key": /(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Z])/,
  "GitHub token": /gh[opsru]_[0-9A-Za-z]{36,}|github_pat_[0-9A-Za-z_]{22,}/,
  // Not the end of a word such as "risk-"; the letter of an escaped line end is none.
  "key of a model provider": /(?<!(?<!\\)[0-9A-Za-z])sk-[0-9A-Za-z_-]{20,}/,
  "Slack token": /xox[abeoprs]-[0-9A-Za-z-]{10,}/,
  "private key": /-----BEGIN [0-9A-Z ]{0,40}PRIVATE KEY-----[^]*?(?:-----END [0-9A-Z ]{0,40}PRIVATE KEY-----|$)/,
};

const ANY = Object.values(SHAPES)
  .map(({ source }) => source)
  .join("|");
const FIRST = new RegExp(ANY);
const EVERY = new RegExp(ANY, "g");
const SHORTEST = 15;

/** Whether a text holds what looks like a credential. */
export function holdsCredential(text: string): boolean {
  return text.length >= SHORTEST && FIRST.test(text);
}

/** The text without what looks like a credential, whether or not it is a secret that is known here. */
export function withoutCredentials(text: string): string {
  return holdsCredential(text) ? text.replace(EVERY, "[redacted credential]") : text;
}
