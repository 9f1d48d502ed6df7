import { createRuntime, defineTool } from "pegboard";
import { serveMcpLines } from "pegboard/node";

/** A server on standard streams whose tool answers with a megabyte, as often as it is asked. */
const text = "x".repeat(1024 * 1024);
const megabyte = defineTool({
  name: "megabyte",
  description: "A megabyte of text",
  input: { type: "object", properties: {} },
  approval: "preApproved",
  execute: () => text,
});
const most = 2 * text.length;
const runtime = createRuntime({
  builtins: false,
  tools: [megabyte],
  limits: { calls: 10_000, resultCharacters: most },
});
await serveMcpLines(runtime, {
  input: process.stdin,
  resultCharacters: most,
  work: 10_000,
  send: (line) => new Promise((resolve) => void process.stdout.write(`${line}\n`, () => resolve())),
});
await runtime.close();
