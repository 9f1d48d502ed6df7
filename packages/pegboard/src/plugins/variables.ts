/**
 * Fills in `${NAME}` for the names that have a value here, once: what a value holds is not filled in again. Everything else
 * stays as it is written: other variables are somebody else's to fill in.
 */
export function fillVariables(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{([^{}\s:]+)\}/g, (written, name: string) =>
    Object.hasOwn(values, name) ? values[name]! : written,
  );
}
