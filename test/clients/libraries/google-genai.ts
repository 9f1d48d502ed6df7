import type { Library } from "../library.ts";
import { connectSdk1 } from "./sdk-1.ts";

/** Tools for Gemini, by Google's SDK, which takes a client of the official one. */
export const googleGenai: Library = {
  title: "@google/genai",
  cancels: [],
  async open(load, reach) {
    const { mcpToTool } = await load("@google/genai");
    const client = await connectSdk1(load, reach);
    return {
      async list() {
        const { functionDeclarations } = await mcpToTool(client).tool();
        return functionDeclarations.map(({ name, parametersJsonSchema }: any) => ({
          name,
          schema: parametersJsonSchema,
        }));
      },
      async call(name, input) {
        const callable = mcpToTool(client);
        await callable.tool();
        return callable.callTool([{ name, args: input }]);
      },
      close: () => client.close(),
    };
  },
};
