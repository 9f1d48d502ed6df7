import { describe, test } from "vitest";
import { describeTransport } from "../../../src/testing/index.ts";
import { createDesk } from "../../../src/transports/desk.ts";
import { toKitClient } from "./kit-client.ts";
import { choose, connectClient } from "./stage.ts";

describeTransport(
  "ACP",
  {
    async connect(runtime, approve) {
      const desk = createDesk(runtime);
      const client = await connectClient(
        { desk },
        {
          permit: async ({ toolCall }) => choose((await approve(toolCall.name ?? "")) === "allow" ? "once" : "deny"),
        },
      );
      const sessionId = await client.open();
      return {
        ...toKitClient(client, sessionId),
        async close() {
          client.close();
          await client.served.closed;
          await desk.close();
        },
      };
    },
  },
  { describe, test },
);
