/** The absolute form of a link, as Markdown can hold it; undefined for one that leads nowhere on the web. */
export function toLink(href: string, base: string): string | undefined {
  const trimmed = href.trim();
  const absolute = /^https?:\/\/[!-~]+$/.test(trimmed) ? trimmed : URL.parse(trimmed, base)?.href;
  if (absolute === undefined || !/^(?:https?|mailto):/i.test(absolute)) return undefined;
  return /[()<>\\\s]/.test(absolute) ? absolute.replace(/[()<>\\\s]/g, encode) : absolute;
}

function encode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}
