/** What every server of this benchmark answers: ten kilobytes of text. */
export const RESULT = "0123456789".repeat(1_000);

export const TOOL = {
  name: "read_page",
  description: "Reads a page of a book",
  inputSchema: { type: "object", properties: { page: { type: "integer" } }, required: ["page"] },
} as const;
