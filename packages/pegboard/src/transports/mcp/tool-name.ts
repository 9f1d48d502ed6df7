/** No client cuts or drops a tool's name that is this long, with what it puts before it. */
const LONGEST = 45;

/**
 * The name under which clients see a tool: its own, or the beginning of it with a digest where that is longer than clients
 * keep. The same name always gives the same.
 */
export function toClientName(name: string): string {
  if (name.length <= LONGEST) return name;
  const digest = digestOf(name);
  return `${name.slice(0, LONGEST - digest.length - 1)}_${digest}`;
}

// FNV-1a: it tells names apart, it guards nothing.
function digestOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
