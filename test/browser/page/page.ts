import * as pegboard from "pegboard";

// In a chunk of its own, so that its size is not taken for Pegboard's.
const { z } = await import("zod");
const exports = { ...pegboard, z };

/** What the page lends the tests, as the global `exports`. */
export type PageExports = typeof exports;

Object.assign(globalThis, { exports });
