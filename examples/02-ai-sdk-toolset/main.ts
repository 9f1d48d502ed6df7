// An AI SDK toolset on the board: `node --conditions=pegboard:source examples/02-ai-sdk-toolset/main.ts`
import assert from "node:assert/strict";
import { tool } from "ai";
import { createRuntime } from "pegboard";
import { fromAiSdk } from "pegboard/ai-sdk";
import { z } from "zod";

// Written for the AI SDK; nothing in it knows Pegboard.
const sent: string[] = [];
const toolset = {
  forecast: tool({
    description: "Tells the weather of the next days",
    inputSchema: z.object({ city: z.string(), days: z.number().int().max(7).default(3) }),
    execute: ({ city, days }) => ({ city, days, sky: "clear" }),
  }),
  sendMail: tool({
    description: "Sends a mail",
    inputSchema: z.object({ to: z.email(), text: z.string() }),
    needsApproval: true,
    execute: ({ to, text }) => {
      sent.push(to);
      return `Sent "${text}" to ${to}`;
    },
  }),
};

const { tools, skipped } = await fromAiSdk(toolset);
assert.deepEqual(skipped, []);

const runtime = createRuntime({ policy: { rules: [{ tool: "forecast", approval: "preApproved" }] } });
runtime.tools.register(tools, { source: { kind: "package", id: "office-tools" } });

const questions: string[] = [];
const session = runtime.open({
  approver: ({ summary, input }) => {
    questions.push(summary);
    const { to } = input as { to: string };
    return to.endsWith("@example.com") ? { decision: "allow" } : { decision: "deny", note: "strangers get no mail" };
  },
});

const weather = await session.call("forecast", { city: "Oslo" });
console.log("forecast, which the policy allows:", weather.structured);
assert.deepEqual(weather.structured, { city: "Oslo", days: 3, sky: "clear" });
assert.deepEqual(questions, []);

const mail = await session.call("sendMail", { to: "ada@example.com", text: "Bring no umbrella" });
console.log("sendMail, which asks and is allowed:", mail.content);
assert.deepEqual(sent, ["ada@example.com"]);

const stranger = await session.call("sendMail", { to: "eve@example.org", text: "Bring an umbrella" });
console.log("sendMail, which asks and is denied:", stranger.error?.message);
assert.equal(stranger.error?.code, "denied");

const wrong = await session.call("sendMail", { to: "nobody" });
console.log("sendMail, with a wrong input:", wrong.error?.message);
assert.equal(wrong.error?.code, "invalid_input");

console.log("What the approver was asked:", questions);
assert.equal(questions.length, 2);
assert.deepEqual(sent, ["ada@example.com"]);
await runtime.close();
