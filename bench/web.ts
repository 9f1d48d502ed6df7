import { Parser } from "htmlparser2";
import { toPageText } from "../packages/pegboard/src/tools/web/to-text.ts";
import { measure, median, ratio } from "./measure.ts";
import { type Report, toTime } from "./report.ts";
import { toWebPage } from "./web-page.ts";

const CHARACTERS = 1_000_000;

/** What it takes to make a page readable, against parsing it and keeping nothing. */
export async function web(): Promise<Report> {
  const html = toWebPage(CHARACTERS);
  const nested = "<div>".repeat(20_000) + "deep" + "</div>".repeat(20_000);
  const read = async (format: "text" | "markdown", page = html) => {
    const { text } = await toPageText(page, { format, url: "https://example.com/a/b" });
    if (!text.includes(page === html ? "how to hang a tool" : "deep"))
      throw new Error("the text of the page is not there");
  };
  const measured = await measure(
    [
      { name: "htmlparser2, bare parse", run: () => new Parser({}).end(html) },
      { name: "pegboard, to Markdown", run: () => read("markdown") },
      { name: "pegboard, to text", run: () => read("text") },
      { name: "pegboard, 20,000 nested tags", run: () => read("markdown", nested) },
    ],
    { rounds: 9, warmUpMs: 800, roundMs: 200 },
  );
  const [bare, markdown, text] = measured;
  return {
    title: `web: a page of ${CHARACTERS.toLocaleString("en")} characters`,
    table: [["", "time"], ...measured.map(({ name, ns }) => [name, toTime(median(ns))])],
    ratios: [markdown, text].map((ours) => ({
      name: `${ours.name} / ${bare.name}`,
      value: ratio(ours, bare),
      target: 3,
    })),
    notes: ["The bare parse has no handlers: it finds everything and keeps nothing."],
  };
}
