import { describe, expect, test } from "vitest";
import { toPageText } from "../../src/tools/web/to-text.ts";

const URL_OF_PAGE = "https://example.com/a/b?c=d";

async function read(html: string, format: "text" | "markdown" = "markdown"): Promise<string> {
  return (await toPageText(html, { format, url: URL_OF_PAGE })).text;
}

describe("Markdown of a page", () => {
  test.each([
    ["paragraphs", "<p>a\n  b</p><p>c</p>d", "a b\n\nc\n\nd"],
    ["headings", "<h1>a</h1><h3>b <b>c</b></h3>d", "# a\n\n### b **c**\n\nd"],
    ["emphasis next to its text", "a<b> b </b>c <i>d</i><em></em>e<del>f</del>", "a **b** c *d*e~~f~~"],
    ["emphasis over blocks", "<b><p>a</p><p>b</p></b>c", "**a**\n\n**b**\n\nc"],
    ["the same mark within itself", "<b>a<strong>b</strong>c</b>", "**abc**"],
    ["line breaks", "a<br>b<br><br>c", "a  \nb  \n\nc"],
    ["rules", "a<hr>b", "a\n\n---\n\nb"],
    ["images as their text", `<p>a <img src="x.png" alt="a  peg"> b <img src=y></p>`, "a a peg b"],
    ["no trace of images without one", `a<img src=x alt="">b`, "ab"],
    ["quotes", "<blockquote><p>a</p><blockquote>b</blockquote></blockquote>c", "> a\n>\n> > b\n\nc"],
    ["entities", "&lt;p&gt; &amp;amp; &eacute;&#x1F600;&nbsp;x &copy &unknown;", "\\<p> &amp; é😀 x © &unknown;"],
    ["definition lists", "<dl><dt>a<dd>b<dt>c<dd>d</dl>", "a\nb\nc\nd"],
    ["comments", "a<!-- b --><![CDATA[c]]><?d?>e", "ae"],
  ])("has %s", async (_, html, expected) => {
    expect(await read(html)).toBe(expected);
  });

  test.each([
    ["flat, also without end tags", "<ul><li>a<li>b</ul>c", "- a\n- b\n\nc"],
    ["numbered, from where they start", '<ol start="9"><li>a</li><li>b</li></ol>', "9. a\n10. b"],
    ["nested", "<ul><li>a<ol><li>b<li>c</ol></li><li>d</li></ul>", "- a\n  1. b\n  2. c\n- d"],
    ["of paragraphs", "<ul><li><p>a</p><p>b</p></li><li><p>c</p></li></ul>", "- a\n\n  b\n\n- c"],
    ["with code", "<ul><li>a<pre>b\nc</pre></li></ul>", "- a\n\n  ```\n  b\n  c\n  ```"],
    ["of lists", "<ul><li><ul><li>a</li></ul></li></ul>", "- - a"],
    ["without items", "<ul><li></li><li> </li></ul>a", "a"],
    ["in quotes", "<blockquote><ul><li>a</li><li>b</li></ul></blockquote>", "> - a\n> - b"],
  ])("has lists: %s", async (_, html, expected) => {
    expect(await read(html)).toBe(expected);
  });

  test.each([
    ["relative", '<a href="x">a</a>', "[a](https://example.com/a/x)"],
    ["from the root, with entities", '<a href="/x?y=1&amp;z=2">a</a>', "[a](https://example.com/x?y=1&z=2)"],
    ["to a place of the page", '<a href="#top">a</a>', "[a](https://example.com/a/b?c=d#top)"],
    ["absolute", '<a href="https://x.test/a">a</a>', "[a](https://x.test/a)"],
    ["with what Markdown would not hold", '<a href="https://x.test/a (b)">a</a>', "[a](https://x.test/a%20%28b%29)"],
    ["by the page's own base", '<base href="https://y.test/z/"><a href="x">a</a>', "[a](https://y.test/z/x)"],
    [
      "to nowhere",
      `<a href="javascript:alert(1)">a</a> <a name=x>b</a> <a href="data:,x">c</a> <a href="">d</a>`,
      "a b c [d](https://example.com/a/b?c=d)",
    ],
    ["without text", '<a href="/x"></a><a href="/x"> </a>a', "a"],
    ["around an image", '<a href="/x"><img alt="a"></a>', "[a](https://example.com/x)"],
    ["around blocks", '<a href="/x"><h2>a</h2><p>b</p></a>', "## [a](https://example.com/x)\n\nb"],
    ["in each other", '<a href="/x">a<a href="/y">b</a>', "[a](https://example.com/x)[b](https://example.com/y)"],
    ["with marks", '<a href="/x">a <b>b</b></a>', "[a **b**](https://example.com/x)"],
  ])("has links: %s", async (_, html, expected) => {
    expect(await read(html)).toBe(expected);
  });

  test.each([
    ["inline", "a <code>b  *c*</code> <code>`d`</code>", "a `b *c*` `` `d` ``"],
    ["in blocks, as it is", "<pre>\n  a\n\n    b &lt; c\n</pre>d", "```\n  a\n\n    b < c\n```\n\nd"],
    ["with its language", '<pre><code class="hljs language-c++">a</code></pre>', "```c++\na\n```"],
    ["with fences in it", "<pre>```\na\n```</pre>", "````\n```\na\n```\n````"],
    ["line by line", "<pre><div>a</div><div>b</div>c<br>d</pre>", "```\na\nbc\nd\n```"],
  ])("has code: %s", async (_, html, expected) => {
    expect(await read(html)).toBe(expected);
  });

  test.each([
    ["plain", "<table><tr><th>a<th>b|c<tr><td>1<td>2</table>d", "| a | b\\|c |\n| --- | --- |\n| 1 | 2 |\n\nd"],
    [
      "with blocks in cells",
      "<table><tr><td><p>a</p><p>b</p></td><td>c<br>d</td></tr></table>",
      "| a b | c d |\n| --- | --- |",
    ],
    [
      "with wide cells",
      "<table><tr><td colspan=2>a</td></tr><tr><td>b</td><td>c</td></tr></table>",
      "| a |  |\n| --- | --- |\n| b | c |",
    ],
    [
      "with marks in cells",
      '<table><tr><td><b>a</td><td><a href="/x">b</td></tr></table>',
      "| **a** | [b](https://example.com/x) |\n| --- | --- |",
    ],
    ["of one column", "<table><tr><td>a</td></tr><tr><td>b</td></tr></table>", "a\nb"],
    [
      "that arrange a page",
      "<table><tr><td>menu</td><td><h2>a</h2><p>b</p><table><tr><td>1</td><td>2</td></tr></table></td><td>c</td></tr></table>d",
      "menu\n\n## a\n\nb\n\n| 1 | 2 |\n| --- | --- |\n\nc\n\nd",
    ],
    ["without an end", "<table><tr><td>a<td>b", "| a | b |\n| --- | --- |"],
  ])("has tables: %s", async (_, html, expected) => {
    expect(await read(html)).toBe(expected);
  });

  test.each([
    ["* a", "\\* a"],
    ["a_b _c_", "a_b \\_c\\_"],
    ["# a", "\\# a"],
    ["1. a", "1\\. a"],
    ["- a", "\\- a"],
    ["> a", "\\> a"],
    ["[a](b)", "[a\\](b)"],
    ["&lt;b>a", "\\<b>a"],
    ["a \\* `b`", "a \\\\\\* \\`b\\`"],
    ["2024 - a > b", "2024 - a > b"],
  ])("has no marks that the page does not have: %s", async (html, expected) => {
    expect(await read(`<p>${html}</p>`)).toBe(expected);
  });
});

describe("text of a page", () => {
  test("has no marks at all", async () => {
    const html = `<h1>a</h1><ul><li><b>b</b> <a href="/x">c</a><li><code>d</code></ul><blockquote>* e</blockquote><table><tr><th>f<th>g<tr><td>1<td></table><pre>h\n i</pre>`;
    expect(await read(html, "text")).toBe("a\n\n- b c\n- d\n\n  * e\n\nf | g\n1\n\nh\n i");
  });
});

describe("what is read of a page", () => {
  test.each(["script", "style", "nav", "header", "footer", "aside", "noscript", "template", "svg", "iframe", "select"])(
    "%s is not",
    async (tag) => {
      expect(await read(`a<${tag} class=x><p>no</p></${tag}>b`)).toMatch(/^a\s*b$/);
    },
  );

  test("what is hidden is not, and a script that looks like tags hides nothing", async () => {
    expect(
      await read(
        `a<div hidden>x<div>y</div>z</div><p style="color: red; display : none">x<p>b<span style="visibility:hidden">x</span>c<script>"<nav>"</script>d`,
      ),
    ).toBe("a\n\nbcd");
  });

  test("a header in an article is part of it; navigation there is not", async () => {
    expect(
      await read(
        "<header>x</header><article><header><h1>a</h1></header><nav>x</nav>b<footer>c</footer></article><footer>x</footer>",
      ),
    ).toBe("# a\n\nb\nc");
  });

  test("what surrounds the content is read when there is nothing else", async () => {
    expect(await read("<body><header>a</header><script>x</script></body>")).toBe("a");
  });

  test("a navigation that is never closed ends where the content begins", async () => {
    expect(await read("<nav><ul><li>x<main>a</main>")).toBe("a");
  });

  test("the title stands in for a heading that is not there", async () => {
    expect(await toPageText("<title> A &amp;\n b </title><p>c</p>", { format: "markdown", url: URL_OF_PAGE })).toEqual({
      title: "A & b",
      text: "# A & b\n\nc",
      isCut: false,
    });
    expect(await read("<title>x</title><h1>a</h1>")).toBe("# a");
  });
});

describe("a hostile page", () => {
  test.each([
    ["div", 20_000],
    ["b", 20_000],
    ["ul><li", 20_000],
    ["blockquote", 20_000],
    ["table><tr><td", 20_000],
    ["a href=x", 20_000],
    ["nav", 20_000],
    ["svg", 20_000],
    ["form", 200_000],
    ["p", 1_000_000],
  ])("of <%s> nested %i deep is read", async (tag, depth) => {
    const started = performance.now();
    const text = await read(
      `<${tag}>`.repeat(depth) + "deep" + "</div></ul></b></nav></svg>".repeat(20_000) + "<main>after",
    );
    expect(text).toContain("after");
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(text.length).toBeLessThan(2_000_000);
  });

  test.each([
    ["attributes", `<a ${"x=1 ".repeat(200_000)}href=y>a</a>`],
    ["entities", "&amp;".repeat(200_000)],
    ["half entities", "&".repeat(200_000)],
    ["half tags", "<".repeat(200_000)],
    ["half comments", "<!--".repeat(200_000)],
    ["end tags", "</p></ul>".repeat(200_000)],
    ["cells", `<table><tr>${"<td colspan=99>x".repeat(100_000)}`],
    ["backticks", `<pre>${"`".repeat(500_000)}</pre>`],
    ["special characters", `<p>${"*_[]<>\\`".repeat(50_000)}</p>`],
    ["white space", `<p>${" \n\t".repeat(300_000)}a</p>`],
    ["titles", "<title>a".repeat(100_000)],
    ["charsets", "<meta ".repeat(100_000)],
  ])("of %s takes time that grows with its length", async (_, html) => {
    const started = performance.now();
    await read(html);
    expect(performance.now() - started).toBeLessThan(4_000);
  });

  test("that would become too much text is cut", async () => {
    const text = "x".repeat(99);
    const page = await toPageText(`<ul><li>${"<ul><li>".repeat(24)}${`<li>${text}`.repeat(150_000)}`, {
      format: "markdown",
      url: URL_OF_PAGE,
    });
    expect(page.isCut).toBe(true);
    expect(page.text.length).toBeLessThan(15_000_000);
  });

  test("gives others their turn while it is read, and ends with its call", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("enough")), 1);
    await expect(
      toPageText("<p>a</p>".repeat(1_000_000), { format: "text", url: URL_OF_PAGE, signal: controller.signal }),
    ).rejects.toThrow("enough");
  });
});
