/** The answers of the SDK on their way to a client, and whether the client keeps up: the SDK itself does not ask. */
export interface Tap {
  /** Passes an answer on as it is. */
  pass(response: Response): Response;
  /** Nothing while everything that was written has been taken, else a promise of that. */
  room(): Promise<void> | undefined;
}

/** Makes the tap of one answer; `ended` is called when it has been taken, or its client is gone. */
export function createTap(ended: () => void = () => {}): Tap {
  /** Pending while the client has yet to take something. */
  let behind: PromiseWithResolvers<void> | undefined;
  const caughtUp = () => {
    behind?.resolve();
    behind = undefined;
  };
  const end = () => {
    caughtUp();
    ended();
  };
  return {
    pass(response) {
      if (!response.body) return response;
      const reader = response.body.getReader();
      behind = Promise.withResolvers();
      const body = new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            const reading = reader.read();
            // Whoever asks for more has taken everything, unless it is there already.
            caughtUp();
            const { done, value } = await reading;
            behind ??= Promise.withResolvers();
            if (!done) return controller.enqueue(value);
            end();
            controller.close();
          },
          cancel(reason) {
            end();
            return reader.cancel(reason);
          },
        },
        { highWaterMark: 0 },
      );
      return new Response(body, response);
    },
    room: () => behind?.promise,
  };
}
