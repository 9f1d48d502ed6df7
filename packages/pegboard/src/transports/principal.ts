/** Whoever knocks at a door, as its lock has recognised them. Sessions belong to a principal and are nobody else's. */
export interface Principal {
  readonly id: string;
  /** The program that speaks for them, as rules name it. */
  readonly client?: string;
}
