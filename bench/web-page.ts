/** A page of about so many characters, as pages are: prose with links, lists, tables, code, and a frame around it. */
export function toWebPage(characters: number): string {
  const parts = [HEAD];
  for (let length = HEAD.length, index = 0; length < characters; index++) {
    const part = toSection(index);
    parts.push(part);
    length += part.length;
  }
  return [...parts, FOOT].join("\n");
}

const HEAD = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Pegs &amp; boards</title>
<link rel="stylesheet" href="/style.css">
<style>body { margin: 0 } .peg > .hole { color: red }</style>
<script>window.pegs = window.pegs || []; for (let i = 0; i < 10; i++) pegs.push("<p>" + i + "</p>");</script>
</head>
<body class="page page--article">
<header class="top"><a class="logo" href="/"><svg viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg></a></header>
<nav><ul>${'<li class="nav__item"><a href="/part" class="nav__link">A part</a></li>'.repeat(40)}</ul></nav>
<main>`;

const FOOT = `</main>
<footer><p>&copy; Nobody</p></footer>
</body>
</html>`;

function toSection(index: number): string {
  return `<section id="s${index}" class="section section--${index % 7}">
  <h2 class="section__title"><a href="#s${index}" aria-hidden="true"></a>Section ${index}: how to hang a tool</h2>
  <p class="lead">A board holds <strong>pegs</strong>, and a peg holds a <em>tool</em>; see <a href="/wiki/Pegboard_${index}" title="Pegboard">the
  article on pegboards</a> and <a href="https://example.org/tools?id=${index}&amp;kind=hand" rel="nofollow noopener" class="external text">the list</a>.<sup id="cite_${index}" class="reference"><a href="#note-${index}">[${index}]</a></sup></p>
  <p>Most of what people read is plain prose, several lines of it, without a single tag in between &ndash; so that is what most of a
  page ought to be. The holes are an inch apart; a hook is pushed through two of them, and stays where it is until somebody needs it
  elsewhere. Whoever takes a tool sees at a glance which one is missing, and whoever brings it back sees at a glance where it goes.</p>
  <ul class="list">
    <li><span class="label">Hammer</span>, for nails &lt; 10 cm</li>
    <li><span class="label">Saw</span>, for <a href="/wood">wood</a></li>
    <li>Others <ul><li>Plane</li><li>File</li></ul></li>
  </ul>
  <div class="figure"><div class="figure__inner"><img src="/img/${index}.png" alt="A board with ${index} tools" width="320" height="200" loading="lazy"></div></div>
  <table class="data"><thead><tr><th scope="col">Tool</th><th scope="col">Hook</th><th scope="col">Holes</th></tr></thead>
  <tbody><tr><td>Hammer</td><td>double</td><td class="num">2</td></tr><tr><td>Saw</td><td>single</td><td class="num">1</td></tr></tbody></table>
  <pre><code class="language-ts">const board = createBoard({ width: ${index}, height: 12 });
board.hang("hammer", { at: [1, 2] }); // &quot;inches&quot;
</code></pre>
</section>`;
}
