import { randomSecret, sameSecret } from "./credential.ts";

/** Links that let a browser in once each, without the token: what it is given instead is good as long as the server runs. */
export interface Links {
  /** The name of the cookie that browsers are given. Other servers of this machine see the same cookies. */
  readonly cookie: string;
  /** Makes the code of a link. */
  create(): string;
  /** Uses a code up. The secret for the cookie, or undefined when the code is not, or no longer, good. */
  redeem(code: string): string | undefined;
  /** Whether a browser was given this secret. */
  knows(secret: string): boolean;
}

/** The most links and browsers that are remembered; the oldest is forgotten. */
const MOST = 100;

/** Makes links; none is there to begin with. */
export function createLinks(): Links {
  const codes: string[] = [];
  const secrets: string[] = [];
  const add = (list: string[]) => {
    const secret = randomSecret();
    if (list.push(secret) > MOST) list.shift();
    return secret;
  };
  return {
    cookie: `pegboard-${randomSecret().slice(0, 8)}`,
    create: () => add(codes),
    redeem(code) {
      const index = codes.findIndex((one) => sameSecret(one, code));
      if (index < 0) return undefined;
      codes.splice(index, 1);
      return add(secrets);
    },
    knows: (secret) => secrets.some((one) => sameSecret(one, secret)),
  };
}
