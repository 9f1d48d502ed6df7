import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { Attachment } from "../../core/run.ts";

/** What a client sends at once: words, and files that go along. */
export interface AcpPrompt {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** The content of a prompt as an agent reads it. What is linked is named; what is embedded is told with its address. */
export function toPrompt(blocks: readonly ContentBlock[]): AcpPrompt {
  const texts: string[] = [];
  const attachments: Attachment[] = [];
  for (const block of blocks) {
    switch (block.type) {
      case "text":
        texts.push(block.text);
        break;
      case "resource_link":
        texts.push(`[${block.title ?? block.name}](${block.uri})`);
        break;
      case "image":
      case "audio": {
        const { data, mimeType, type } = block;
        // What a file is, its name tells.
        const name = `${type}-${attachments.length + 1}.${mimeType.split("/")[1] ?? type}`;
        attachments.push({ name, data, mimeType });
        break;
      }
      case "resource":
        if ("text" in block.resource) texts.push(quote(block.resource.uri, block.resource.text));
        else attachments.push(toAttachment(block.resource));
        break;
    }
  }
  return { text: texts.join("\n\n"), attachments };
}

/** The fence is longer than any in the text, so that the text cannot end it. */
function quote(uri: string, text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${uri}\n${fence}\n${text}\n${fence}`;
}

function toAttachment(resource: { uri: string; blob: string; mimeType?: string | null }): Attachment {
  const { uri, blob, mimeType } = resource;
  return { name: uri.split("/").at(-1) || uri, data: blob, ...(mimeType && { mimeType }) };
}
