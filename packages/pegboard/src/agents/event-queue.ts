import type { Event } from "../core/event.ts";

type Next = IteratorResult<Event, undefined>;

const END: Next = { value: undefined, done: true };

/** Events for one reader, in order, until it is ended. The reader may ask for several before they have come. */
export class EventQueue implements AsyncIterator<Event> {
  readonly #events: Event[] = [];
  readonly #asked: ((next: Next) => void)[] = [];
  readonly #left: () => void;
  #ended = false;

  /** `left` is called when the reader wants no more. */
  constructor(left: () => void) {
    this.#left = left;
  }

  push(event: Event): void {
    if (this.#ended) return;
    const ask = this.#asked.shift();
    if (ask) ask({ value: event, done: false });
    else this.#events.push(event);
  }

  /** What has come can still be read. */
  end(): void {
    this.#ended = true;
    for (const ask of this.#asked.splice(0)) ask(END);
  }

  next(): Promise<Next> {
    const value = this.#events.shift();
    if (value) return Promise.resolve({ value, done: false });
    if (this.#ended) return Promise.resolve(END);
    return new Promise((resolve) => this.#asked.push(resolve));
  }

  return(): Promise<Next> {
    this.#events.length = 0;
    this.end();
    this.#left();
    return Promise.resolve(END);
  }
}
