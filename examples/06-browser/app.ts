import type { Approver, Event, Json, ToolView } from "pegboard";
import { openPostOffice } from "./post-office.ts";

/** Asks in a dialog of its own for every request: two may wait at once. Escape is a no. */
const askInPage: Approver = ({ summary, reason, input }, { signal }) => {
  const copy = document.importNode(element("approval", HTMLTemplateElement).content, true);
  const dialog = copy.querySelector("dialog")!;
  dialog.ariaLabel = `${summary}?`;
  dialog.querySelector("h2")!.textContent = `${summary}?`;
  dialog.querySelector("p")!.textContent = `Why you are asked: ${reason}.`;
  dialog.querySelector("pre")!.textContent = JSON.stringify(input, null, 2);
  document.body.append(dialog);
  dialog.showModal();
  signal.addEventListener("abort", () => dialog.close());
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(
        dialog.returnValue === "allow" ? { decision: "allow" } : { decision: "deny", note: "the person said no" },
      );
    });
  });
};

const { session } = openPostOffice(askInPage);
const form = element("call", HTMLFormElement);
const tool = element("tool", HTMLSelectElement);
const input = element("input", HTMLTextAreaElement);

const tools = session.list();
element("tools", HTMLElement).replaceChildren(...tools.map(toRow));
tool.replaceChildren(...tools.map(({ name }) => create("option", name)));

tool.addEventListener("change", suggestInput);
suggestInput();

form.addEventListener("submit", (submitted) => {
  submitted.preventDefault();
  void callTool();
});

void followLog();

function suggestInput(): void {
  const [example = {}] = (tools.find(({ name }) => name === tool.value)?.inputSchema.examples ?? []) as Json[];
  input.value = JSON.stringify(example, null, 2);
}

async function callTool(): Promise<void> {
  show("", "");
  let asked: Json;
  try {
    asked = JSON.parse(input.value) as Json;
  } catch {
    show("failed", "The input is not JSON");
    return;
  }
  const { content, error } = await session.call(tool.value, asked);
  if (error) show("failed", `${error.code}: ${error.message}`);
  else show("done", content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n"));
}

async function followLog(): Promise<void> {
  for await (const event of session.events()) element("log", HTMLElement).append(create("li", describe(event)));
}

function describe({ type, data }: Event): string {
  const name = "tool" in data ? ` ${data.tool}` : "";
  if (type === "call-end") return `${type}${name}: ${data.error?.code ?? "ok"}`;
  if (type === "approval-response") return `${type}: ${data.decision}`;
  return `${type}${name}`;
}

function show(outcome: "" | "done" | "failed", text: string): void {
  const result = element("result", HTMLOutputElement);
  result.className = outcome;
  result.textContent = text;
}

function toRow({ name, description, approval }: ToolView): HTMLElement {
  const row = create("tr");
  row.append(create("td", name), create("td", description), create("td", approval === "ask" ? "asks you" : "runs"));
  return row;
}

// Everything that comes from tools is set as text, so that it stays text.
function create(name: string, text = ""): HTMLElement {
  const created = document.createElement(name);
  created.textContent = text;
  return created;
}

function element<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`The page has no ${type.name} #${id}`);
  return found;
}
