import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";

const EXECUTABLE = "/usr/bin/chromium";
const ARGS = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Starts Debian's chromium. Throws with the command that installs it when it is missing. */
export async function launchChromium(): Promise<Browser> {
  if (!existsSync(EXECUTABLE)) {
    const install = "apt-get update && apt-get install -y --no-install-recommends chromium";
    throw new Error(`There is no ${EXECUTABLE}, and this suite is nothing without a browser. Install it: ${install}`);
  }
  return chromium.launch({ executablePath: EXECUTABLE, args: ARGS });
}

/** A page that was opened, and what it did that it should not: grows for as long as the page is open. */
export interface Visit {
  readonly page: Page;
  /** Errors and warnings on the console, and what was thrown and not caught. */
  readonly errors: string[];
  /** Every address that was asked for. */
  readonly requests: string[];
}

/** Opens a page of its own at the address, with nothing remembered from others. */
export async function visit(browser: Browser, url: string): Promise<Visit> {
  const page = await browser.newPage({ viewport: { width: 900, height: 1100 } });
  const errors: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") errors.push(message.text());
  });
  page.on("pageerror", (error) => void errors.push(String(error)));
  page.on("request", (request) => void requests.push(request.url()));
  await page.goto(url);
  return { page, errors, requests };
}

/** The requests that went anywhere but to the origin of the page itself. */
export function requestsElsewhere({ page, requests }: Visit): string[] {
  const { origin } = new URL(page.url());
  return requests.filter((request) => new URL(request).origin !== origin);
}
