const MOST = 256 * 1024;
const written = new Map<string, number>();

/**
 * Shows on standard error what tools write to their own standard streams, with their source before every line and
 * nothing that a terminal would obey. A source that writes very much is cut off.
 */
export function showToolOutput(source: string, text: string): void {
  const before = written.get(source) ?? 0;
  if (before > MOST) return;
  written.set(source, before + text.length);
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => `${source}: ${line.replaceAll(CONTROL, toEscape)}`);
  if (before + text.length > MOST) lines.push(`${source}: what else it writes is left out`);
  process.stderr.write(`${lines.join("\n")}\n`);
}

const CONTROL = /(?!\t)[\p{Cc}\p{Cf}]/gu;

function toEscape(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}
