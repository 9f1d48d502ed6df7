export { createFetchHandler, type FetchHandler, type FetchHandlerOptions } from "./transports/http/fetch-handler.ts";
