/** Under this key a tool whose work runs elsewhere says how that place is made ready. */
export const PREPARE: unique symbol = Symbol("prepare");

/** A tool that needs a place to run. */
export interface Prepared {
  /**
   * Makes the place ready. A call waits for it before its intent is recorded and its time runs, so that a tool that
   * cannot be run is one that was not run. Rejects when there is no such place.
   */
  [PREPARE]?(): Promise<void>;
}
