import { createRedactor } from "pegboard";
import { expect, test } from "vitest";
import { createAnswerStream } from "../../src/cli/answer-stream.ts";

function open() {
  const redactor = createRedactor();
  redactor.add("door", "s3cr3t-Zq8vN2kLw0");
  const written: string[] = [];
  return { written, answer: createAnswerStream({ write: (text) => void written.push(text) }, redactor) };
}

test("a secret that comes in pieces is not shown, and what only looks like its beginning is", () => {
  const { written, answer } = open();
  for (const piece of ["The key: s3cr3t-", "Zq8vN2", "kLw0. And s3c", "ond."]) answer.write(piece);
  answer.end();
  expect(written.join("")).toBe("The key: [secret door]. And s3cond.\n");
});

test("what was held back is shown at the end, and a line that was begun is ended once", () => {
  const { written, answer } = open();
  answer.write("One.\nTwo s3cr");
  answer.end();
  answer.end();
  answer.write("Three.\n");
  answer.end();
  expect(written.join("")).toBe("One.\nTwo s3cr\nThree.\n");
});

test("nothing is shown that a terminal would obey", () => {
  const { written, answer } = open();
  answer.write("a\u001b[2Jb\u202ec\td\n");
  expect(written.join("")).toBe("a\\u{1b}[2Jb\\u{202e}c\td\n");
});
