/** What a person agreed to when a server's tools were used first: the server as it was written, and its tools. */
export interface Pinned {
  /** The digest of how the server is reached. */
  readonly server: string;
  /** The digests of its tools, by the name that the server gives them. */
  readonly tools: Readonly<Record<string, string>>;
}

/** Where pins are kept, by the name of the server. */
export interface PinStore {
  get(name: string): Promise<Pinned | undefined>;
  set(name: string, pinned: Pinned): Promise<void>;
}

/** Pins that are kept as long as the process. */
export function memoryPins(): PinStore {
  const pins = new Map<string, Pinned>();
  return {
    get: async (name) => pins.get(name),
    set: async (name, pinned) => void pins.set(name, pinned),
  };
}
