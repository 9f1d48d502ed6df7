import type { Principal } from "../principal.ts";
import { addressCheck, type AddressOptions } from "./address.ts";
import { credentialsOf } from "./credential.ts";
import { createLinks, type Links } from "./links.ts";
import { createRate } from "./rate.ts";
import type { Refusal } from "./refusal.ts";

/** How a lock tells who may pass. */
export interface LockOptions extends AddressOptions {
  /** Whose a secret is that was shown; undefined when it is nobody's. Must take as long for a wrong one as for a right one. */
  recognise(secret: string): Principal | undefined;
  /** Whose links are, that a browser opens; nobody's when absent. */
  readonly guest?: Principal;
  /** How many requests a second each principal may make; any number when absent. */
  readonly rate?: number;
}

/** What a lock looks at: a request, or the handshake of a WebSocket. */
export interface Knock {
  readonly method: string;
  readonly headers: Headers;
}

/** Whoever knocks: a principal, or why they are not let in. */
export type Admission =
  | { readonly principal: Principal; readonly refusal?: never }
  | { readonly principal?: never; readonly refusal: Refusal };

/** What stands before every door. */
export interface Lock {
  readonly links: Links;
  /** Only whether the address is one of ours: for what a link leads to. */
  address(headers: Headers): Refusal | undefined;
  /** Looks at everything. Never throws. */
  admit(knock: Knock): Admission;
}

/**
 * Makes a lock: the address must be ours, the page one of ours, a secret must be shown, by whomever and from wherever, and
 * what is sent must be JSON, which no form of a foreign page can send.
 */
export function createLock({ recognise, guest, rate: perSecond, ...addresses }: LockOptions): Lock {
  const address = addressCheck(addresses);
  const links = createLinks();
  const rate = perSecond === undefined ? undefined : createRate(perSecond);

  function principalOf(headers: Headers): Principal | undefined {
    const secrets = credentialsOf(headers, links.cookie);
    for (const secret of secrets) {
      const principal = recognise(secret) ?? (links.knows(secret) ? guest : undefined);
      if (principal) return principal;
    }
    return undefined;
  }

  return {
    links,
    address,
    admit({ method, headers }) {
      const problem = address(headers);
      if (problem) return { refusal: problem };
      const principal = principalOf(headers);
      if (!principal) return { refusal: UNKNOWN };
      const wait = rate?.take(principal.id) ?? 0;
      if (wait > 0) return { refusal: tooFast(wait) };
      const unreadable = bodyProblem(method, headers);
      return unreadable ? { refusal: unreadable } : { principal };
    },
  };
}

const UNKNOWN: Refusal = {
  status: 401,
  code: "denied",
  message: "The token is missing or wrong: send it as Authorization: Bearer <token>",
  headers: { "www-authenticate": 'Bearer realm="pegboard"' },
};

function tooFast(seconds: number): Refusal {
  return {
    status: 429,
    code: "busy",
    message: "There are too many requests: try again later",
    headers: { "retry-after": String(Math.ceil(seconds)) },
  };
}

/** The longest body that is taken. */
export const MOST_BYTES = 32 * 1024 * 1024;

/** The refusal of a longer one. */
export const TOO_LONG: Refusal = {
  status: 413,
  code: "invalid_input",
  message: `A body must not be longer than ${MOST_BYTES} bytes`,
};

const BODILESS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

function bodyProblem(method: string, headers: Headers): Refusal | undefined {
  if (BODILESS.has(method)) return undefined;
  const type = headers.get("content-type");
  const empty = headers.get("content-length") === "0" || !headers.has("content-length");
  // Nothing is sent, as with most requests to delete or to begin something.
  if (type === null && empty && !headers.has("transfer-encoding")) return undefined;
  if (type?.split(";", 1)[0]!.trim().toLowerCase() !== "application/json")
    return unsupported("The content type must be application/json");
  const encoding = headers.get("content-encoding") ?? "identity";
  if (encoding !== "identity") return unsupported("A body must not be compressed");
  return Number(headers.get("content-length") ?? 0) > MOST_BYTES ? TOO_LONG : undefined;
}

function unsupported(message: string): Refusal {
  return { status: 415, code: "invalid_input", message };
}
