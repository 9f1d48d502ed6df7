import type { Content } from "@pegboard/contract";
import type {
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { AssistantPart, Message, ModelRequest, ModelTool, ToolOutcome, UserPart } from "../../core/model.ts";

/** The versions of the provider specification that are spoken. They differ in how files are written. */
export type Version = "v2" | "v3" | "v4";

/** How requests are put. */
export interface PromptOptions {
  readonly version: Version;
  /** Where files of results go: into the result, or into a message after it, for formats whose results are text. */
  readonly resultFiles: "inside" | "after";
}

/** Writes requests as a provider package reads them. */
export interface PromptWriter {
  toPrompt(request: ModelRequest): LanguageModelV4Prompt;
  toTools(tools: readonly ModelTool[]): LanguageModelV4FunctionTool[];
}

/** Makes a writer. Messages and lists of tools are written once each: a conversation is sent anew with every turn. */
export function createPromptWriter(options: PromptOptions): PromptWriter {
  const messages = new WeakMap<Message, readonly LanguageModelV4Message[]>();
  const lists = new WeakMap<readonly ModelTool[], LanguageModelV4FunctionTool[]>();
  return {
    toPrompt({ system, messages: given }) {
      const prompt: LanguageModelV4Prompt = system === "" ? [] : [{ role: "system", content: system }];
      for (const message of given) {
        let written = messages.get(message);
        if (!written) messages.set(message, (written = toMessages(message, options)));
        for (const one of written) prompt.push(one);
      }
      return prompt;
    },
    toTools(tools) {
      let list = lists.get(tools);
      if (!list) lists.set(tools, (list = tools.map(toFunctionTool)));
      return list;
    },
  };
}

function toFunctionTool({ name, description, input }: ModelTool): LanguageModelV4FunctionTool {
  return { type: "function", name, description, inputSchema: input };
}

function toMessages(message: Message, options: PromptOptions): LanguageModelV4Message[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: message.content.map((part) => toUserPart(part, options)) }];
    case "assistant":
      return [{ role: "assistant", content: message.content.filter(isWorthSending).map(toAssistantPart) }];
    case "tool":
      return toResults(message.results, options);
  }
}

function toUserPart(part: UserPart, { version }: PromptOptions): LanguageModelV4TextPart | LanguageModelV4FilePart {
  if (part.type === "text") return { type: "text", text: part.text };
  const { mimeType, data, name } = part;
  // Not every provider takes files of text, but all take text.
  if (isText(mimeType)) return { type: "text", text: `${name ?? "A file"}:\n\n${fromBase64(data)}` };
  return toFilePart(version, mimeType, data, name);
}

// Anthropic refuses texts of nothing but white space, also those it wrote itself.
function isWorthSending(part: AssistantPart): boolean {
  return part.type !== "text" || part.meta !== undefined || part.text.trim() !== "";
}

function toAssistantPart(part: AssistantPart) {
  const own = part.meta === undefined ? {} : { providerOptions: part.meta as SharedV4ProviderOptions };
  if (part.type !== "call") return { type: part.type, text: part.text, ...own };
  const { id: toolCallId, tool: toolName, input } = part;
  // Providers take nothing but objects, also for arguments that could not be read.
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  return {
    type: "tool-call" as const,
    toolCallId,
    toolName,
    input: isObject ? input : { unreadable_arguments: input },
    ...own,
  };
}

function toResults(results: readonly ToolOutcome[], options: PromptOptions): LanguageModelV4Message[] {
  const later: (LanguageModelV4TextPart | LanguageModelV4FilePart)[] = [];
  const content = results.map(({ call: toolCallId, tool: toolName, ok, content: blocks }) => {
    const files = blocks.flatMap((block) => toFile(block) ?? []);
    const text = () => blocks.flatMap((block) => toText(block) ?? []).join("\n");
    const result = (output: LanguageModelV4ToolResultOutput) =>
      ({ type: "tool-result", toolCallId, toolName, output }) as const;
    if (files.length === 0) return result({ type: ok ? "text" : "error-text", value: text() });
    if (ok && options.resultFiles === "inside")
      return result({ type: "content", value: blocks.map((block) => toResultPart(block, options)) });
    later.push(
      { type: "text", text: `Files of the result of ${toolName} (${toolCallId}):` },
      ...files.map(({ mimeType, data }) => toFilePart(options.version, mimeType, data)),
    );
    return result({ type: ok ? "text" : "error-text", value: text() || "The result is a file: see the next message" });
  });
  return [{ role: "tool", content }, ...(later.length === 0 ? [] : [{ role: "user" as const, content: later }])];
}

type ResultPart = Extract<LanguageModelV4ToolResultOutput, { type: "content" }>["value"][number];

function toResultPart(block: Content, { version }: PromptOptions): ResultPart {
  const file = toFile(block);
  if (!file) return { type: "text", text: toText(block) ?? "" };
  const { mimeType: mediaType, data } = file;
  if (version === "v4") return { type: "file", mediaType, data: { type: "data", data } };
  const type = version === "v2" ? "media" : mediaType.startsWith("image/") ? "image-data" : "file-data";
  return { type, mediaType, data } as unknown as ResultPart;
}

function toFilePart(version: Version, mediaType: string, data: string, filename?: string): LanguageModelV4FilePart {
  const written = version === "v4" ? ({ type: "data", data } as const) : data;
  return {
    type: "file",
    mediaType,
    data: written as LanguageModelV4FilePart["data"],
    ...(filename !== undefined && { filename }),
  };
}

function toFile(block: Content): { readonly mimeType: string; readonly data: string } | undefined {
  if (block.type === "image" || block.type === "audio") return block;
  if (block.type !== "resource" || block.resource.blob === undefined) return undefined;
  const { mimeType = "application/octet-stream", blob } = block.resource;
  return isText(mimeType) ? undefined : { mimeType, data: blob };
}

function toText(block: Content): string | undefined {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource": {
      const { uri, mimeType, text, blob } = block.resource;
      if (text !== undefined) return text;
      return blob !== undefined && isText(mimeType ?? "") ? fromBase64(blob) : blob === undefined ? uri : undefined;
    }
    case "resource_link":
      return `${block.name}: ${block.uri}`;
    default:
      return undefined;
  }
}

function isText(mimeType: string): boolean {
  return mimeType.startsWith("text/") || mimeType === "application/json";
}

function fromBase64(data: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(data), (character) => character.charCodeAt(0)));
}
