import { text } from "node:stream/consumers";

/** Answers the one question that a confined script is asked on standard input. */
export async function answer<Question>(reply: (question: Question) => unknown): Promise<void> {
  const question = JSON.parse(await text(process.stdin)) as Question;
  process.stdout.write(JSON.stringify(await reply(question)));
}
