/** A request that is sent to an address. */
export interface PostRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Hangs up, also while the answer is read. */
  readonly signal: AbortSignal;
}

/** The beginning of an answer; what follows is read once. */
export interface PostAnswer {
  readonly status: number;
  /** What a header says; its name is written in small letters. */
  header(name: string): string | null;
  /** Hands the text over in pieces, as it comes. Rejects when the line breaks, and with what `take` throws: then it hangs up. */
  read(take: (text: string) => void): Promise<void>;
}

/** Sends a request by POST, and follows no redirect. Rejects when there is no answer. */
export type Post = (url: URL, request: PostRequest) => Promise<PostAnswer>;

/** The one that runs anywhere. */
export const fetchPost: Post = async (url, request) => {
  const response = await globalThis.fetch(url, { method: "POST", redirect: "manual", ...request });
  const { status, headers, body } = response;
  return {
    status,
    header: (name) => headers.get(name),
    async read(take) {
      for await (const text of (body ?? new Blob().stream()).pipeThrough(new TextDecoderStream())) take(text);
    },
  };
};
