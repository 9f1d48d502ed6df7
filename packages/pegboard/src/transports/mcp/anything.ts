/** Takes any value as it is, where the SDK wants a schema: what it holds is checked by whoever uses it. */
export const ANYTHING = {
  "~standard": { version: 1, vendor: "pegboard", validate: (value: unknown) => ({ value }) },
} as const;
