import type { Store } from "../stores/store.ts";

/** A shared store that is made at its first use: what never reads or writes does not load its code. */
export function lazyStore(make: () => Promise<Store>): Store {
  let made: Promise<Store> | undefined;
  let closed = false;
  const store = async () => {
    const refuses = closed;
    const used = await (made ??= make());
    // One that was closed before its first use is made only to refuse.
    if (refuses) await used.close();
    return used;
  };
  return {
    append: async (events) => (await store()).append(events),
    read: async (query) => (await store()).read(query),
    scan: async (after, limit, filter) => (await store()).scan(after, limit, filter),
    unfinished: async () => (await store()).unfinished(),
    prune: async (options) => (await store()).prune(options),
    shared: true,
    blobs: {
      write: async (session, call, text) => (await store()).blobs.write(session, call, text),
      read: async (session, call, offset, length) => (await store()).blobs.read(session, call, offset, length),
    },
    files: {
      read: async (path) => (await store()).files.read(path),
      write: async (file, keep) => (await store()).files.write(file, keep),
      list: async () => (await store()).files.list(),
      history: async (path) => (await store()).files.history(path),
      delete: async (path) => (await store()).files.delete(path),
    },
    async close() {
      // In turn: what was begun before is done before.
      const used = made && store();
      closed = true;
      await (await used)?.close();
    },
  };
}
