/** A random id. It is one text: as the engine makes it, it is a chain of its parts, eight times as heavy where it is kept. */
export function newId(): string {
  return crypto.randomUUID().toLowerCase();
}
