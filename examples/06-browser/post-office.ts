import { type Approver, createRuntime, defineTool } from "pegboard";
import { z } from "zod";

/** A board of three tools and a session on it. Runs wherever there is JavaScript: nothing here knows the page. */
export function openPostOffice(approver: Approver) {
  const sent: string[] = [];

  const postage = defineTool({
    name: "postage",
    description: "Tells what a letter costs",
    input: z
      .object({ country: z.string().regex(/^[A-Z]{2}$/), grams: z.number().int().positive().max(2000).default(20) })
      .meta({ examples: [{ country: "NO", grams: 50 }] }),
    capabilities: ["read"],
    execute: ({ country, grams }) => ({ country, grams, cents: 110 + 2 * grams }),
  });

  const sendPostcard = defineTool({
    name: "send_postcard",
    description: "Sends a postcard",
    input: {
      type: "object",
      properties: { to: { type: "string", minLength: 1 }, text: { type: "string", maxLength: 140 } },
      required: ["to", "text"],
      additionalProperties: false,
      examples: [{ to: "Ada", text: "The fjord is calm today." }],
    },
    capabilities: ["network"],
    summary: ({ to }) => `Send a postcard to ${to}`,
    execute({ to, text }) {
      sent.push(to);
      return `Sent "${text}" to ${to}`;
    },
  });

  const burnMail = defineTool({
    name: "burn_mail",
    description: "Burns all mail",
    input: { type: "object" },
    execute: () => sent.splice(0),
  });

  const runtime = createRuntime({
    tools: [postage, sendPostcard, burnMail],
    policy: { rules: [{ tool: "burn_mail", approval: "blocked", reason: "mail is not for burning" }] },
  });
  return { runtime, session: runtime.open({ approver, client: "page", as: "user" }), sent };
}
