// eslint-disable-next-line no-control-regex
const UNSEEN = /\r\n?|\f|[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f]|[\u{e0000}-\u{e007f}]/gu;

/**
 * Text from outside without what a person does not see: newlines in one form, control characters as escapes such as `\x1b`,
 * and without tag characters, which only a model reads.
 */
export function toVisible(text: string): string {
  return text.replace(UNSEEN, show);
}

function show(found: string): string {
  if (found.startsWith("\r") || found === "\f") return "\n";
  return found.length > 1 ? "" : `\\x${found.charCodeAt(0).toString(16).padStart(2, "0")}`;
}
