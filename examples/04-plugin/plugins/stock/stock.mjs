// A tool that is a program: its input is JSON on standard input, its answer what it prints.
import { readFileSync } from "node:fs";

const BOOKS = [
  { id: "b1", title: "The Sea Atlas", price: 42 },
  { id: "b2", title: "A Year at Sea", price: 18 },
  { id: "b3", title: "Mountain Huts", price: 25 },
];

const input = JSON.parse(readFileSync(0, "utf8"));
const currency = process.env.PLUGIN_CONFIG_CURRENCY;

if (process.argv[2] === "find") {
  const found = BOOKS.filter(({ title }) => title.toLowerCase().includes(input.word.toLowerCase()));
  console.log(JSON.stringify({ currency, books: found }));
} else {
  const book = BOOKS.find(({ id }) => id === input.id);
  if (!book) {
    console.error(`There is no book ${input.id}: search for it first`);
    process.exit(1);
  }
  console.log(JSON.stringify({ title: book.title, copies: input.copies, total: book.price * input.copies, currency }));
}
