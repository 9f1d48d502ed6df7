/**
 * Fills `{{name}}` in with the values of the arguments, in one pass: what a value holds is not filled in again, and a name
 * without a value stays as it is. A text goes in as it is, everything else as JSON.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(PLACEHOLDER, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return typeof value === "string" ? value : (JSON.stringify(value) ?? whole);
  });
}

/** The names that a template has a `{{name}}` for, each once. */
export function placeholdersOf(template: string): string[] {
  return [...new Set(Array.from(template.matchAll(PLACEHOLDER), ([, name]) => name!))];
}

const PLACEHOLDER = /\{\{[ \t]{0,8}([A-Za-z_][A-Za-z0-9_-]{0,127})[ \t]{0,8}\}\}/g;
