import type { Tool } from "@pegboard/contract";
import { createRedactor, type Redactor } from "../../core/redact.ts";
import { NO_SECRETS, resolveSecrets, type Secrets } from "../../core/secret.ts";
import type { SearchChoice } from "../../tools/search/provider.ts";
import type { SendSearch } from "../../tools/search/send.ts";
import { webFetchTool, type WebFetchSettings } from "../../tools/web-fetch.ts";
import { webSearchTool } from "../../tools/web-search.ts";
import type { FetchPage } from "../../tools/web/page.ts";
import type { WebSettings } from "./fetch-page.ts";

/** What the operator says about the web tools. */
export interface WebToolsSettings {
  /** The key `web` of a configuration. */
  readonly web?: WebSettings & WebFetchSettings;
  /** The key `web_search` of a configuration. */
  readonly search?: SearchChoice & {
    /** The key of the service, as a `secret://name`; absent is what the environment says. */
    readonly key?: string;
  };
}

/** Where the keys of search services come from. */
export interface WebToolsDeps {
  /** The value of a variable such as `BRAVE_API_KEY`, for when the settings name no secret; the environment by default. */
  key?(name: string): string | undefined | Promise<string | undefined>;
  /** Where `secret://name` is looked up; nowhere by default. */
  readonly secrets?: Secrets;
  /** Learns every key that is used. */
  readonly redactor?: Redactor;
}

/** `web_fetch`, which reaches only the public internet and what is allowed besides, and `web_search`. Settings are read anew for every call. */
export function webTools(settings: () => WebToolsSettings = () => ({}), deps: WebToolsDeps = {}): Tool[] {
  const { key = (name) => process.env[name], secrets = NO_SECRETS, redactor = createRedactor() } = deps;
  const web = () => settings().web ?? {};
  // What they need is loaded with the first request: every start would pay for it otherwise.
  const fetchPage: FetchPage = async (url, options) =>
    (await import("./fetch-page.ts")).createFetchPage(web)(url, options);

  async function provider() {
    const { search } = settings();
    const { toSearchProvider } = await import("../../tools/search/provider.ts");
    const send: SendSearch = async (request) => {
      const { createSendSearch } = await import("./send-search.ts");
      return createSendSearch({ ...web(), isOwn: search?.url !== undefined })(request);
    };
    return toSearchProvider(search, { key: (name) => keyOf(search?.key, name), send });
  }

  async function keyOf(reference: string | undefined, name: string): Promise<string | undefined> {
    if (reference !== undefined) return resolveSecrets(reference, { secrets, redactor });
    const value = await key(name);
    if (value) redactor.add(name, value);
    return value;
  }

  return [webFetchTool({ fetchPage, settings: web }), webSearchTool({ provider })];
}
