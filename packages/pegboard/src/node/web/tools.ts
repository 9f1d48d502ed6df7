import type { Tool } from "@pegboard/contract";
import { type SearchChoice, toSearchProvider } from "../../tools/search/provider.ts";
import { webFetchTool, type WebFetchSettings } from "../../tools/web-fetch.ts";
import { webSearchTool } from "../../tools/web-search.ts";
import type { FetchPage } from "../../tools/web/page.ts";
import type { WebSettings } from "./fetch-page.ts";

/** What the operator says about the web tools. */
export interface WebToolsSettings {
  /** The key `web` of a configuration. */
  readonly web?: WebSettings & WebFetchSettings;
  /** The key `web_search` of a configuration. */
  readonly search?: SearchChoice;
}

/** Where the keys of search services come from: the environment, unless said otherwise. */
export type KeySource = (name: string) => string | undefined | Promise<string | undefined>;

/** `web_fetch`, which reaches only the public internet and what is allowed besides, and `web_search`. Settings are read anew for every call. */
export function webTools(
  settings: () => WebToolsSettings = () => ({}),
  key: KeySource = (name) => process.env[name],
): Tool[] {
  const web = () => settings().web ?? {};
  // What it needs is loaded with the first page: every start would pay for it otherwise.
  const fetchPage: FetchPage = async (url, options) =>
    (await import("./fetch-page.ts")).createFetchPage(web)(url, options);
  return [
    webFetchTool({ fetchPage, settings: web }),
    webSearchTool({ provider: () => toSearchProvider(settings().search, key) }),
  ];
}
