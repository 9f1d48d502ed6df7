import { expect, test } from "vitest";
import { toolIndex } from "../../src/agents/tool-index.ts";

/** Tools as `source__name: description`. */
const TOOLS = [
  "desk__create_ticket: Creates a ticket",
  "desk__list_tickets: Lists tickets",
  "desk__delete_ticket: Deletes a ticket",
  "desk__get_ticket_history: Gets what changed on a ticket",
  "shop__create_invoice: Creates an invoice. Tickets for the theatre cannot be billed",
  "shop__list_products: Lists products of the MegaShop store",
  "vault__unlock: Unlocks the vault",
  "vault__restore_item: Restores an item from the bin",
];

const index = toolIndex(
  TOOLS.map((line) => {
    const [name, description] = line.split(": ") as [string, string];
    const id = name.split("__")[0]!;
    const properties = name === "desk__create_ticket" ? { urgency: { description: "How pressing it is" } } : {};
    return { name, description, source: { kind: "mcp", id }, inputSchema: { type: "object", properties } };
  }),
);

test.each([
  ["delete a ticket", "desk__delete_ticket"],
  ["get rid of a ticket", "desk__delete_ticket"],
  ["file a bug", "desk__create_ticket"],
  ["which tickets are there", "desk__list_tickets"],
  ["bill a customer", "shop__create_invoice"],
  ["bring it back", "vault__restore_item"],
  ["past changes of a ticket", "desk__get_ticket_history"],
  ["creat tikets", "desk__create_ticket"],
  ["how pressing", "desk__create_ticket"],
  ["megashop", "shop__list_products"],
])("%s: the first that is found is %s", (question, name) => {
  expect(index.search(question, 5)[0]).toBe(name);
});

test("a tool of a source that the question names comes before others", () => {
  expect(index.search("list", 1)).toEqual(["desk__list_tickets"]);
  expect(index.search("list shop", 1)).toEqual(["shop__list_products"]);
});

test("what fits nothing finds nothing, and no more are found than are wanted", () => {
  expect(index.search("zebra", 5)).toEqual([]);
  expect(index.search("", 5)).toEqual([]);
  expect(index.search("ticket", 2)).toHaveLength(2);
});

test("the end of a question that goes on and on does not count", () => {
  expect(index.search(`${"zebra ".repeat(200)}ticket`, 5)).toEqual([]);
});
