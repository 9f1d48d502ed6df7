/** A moment as people read it where they are. */
export function describeTime(at: number): string {
  // The Swedish form is the one that sorts.
  return new Date(at).toLocaleString("sv-SE");
}
