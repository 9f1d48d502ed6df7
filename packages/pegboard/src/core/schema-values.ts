/** Reports what was done, in units of about 10 ns. May throw. */
export type Spend = (amount: number) => void;

/** Finds a JSON value among others in time linear in its own size; objects are equal whatever the order of their keys. */
export class Values {
  readonly #spend: Spend;
  readonly #primitives = new Map<unknown, number>();
  readonly #composites = new Map<number, Entry>();

  constructor(spend: Spend) {
    this.#spend = spend;
  }

  /** The position of an equal value that was added before, or nothing after the value has been added. */
  add(value: unknown, position: number): number | undefined {
    if (!isComposite(value)) {
      const found = this.#findPrimitive(value);
      if (found === undefined) this.#primitives.set(value, position);
      return found;
    }
    const hash = this.#hash(value);
    const found = this.#findComposite(value, hash);
    if (found !== undefined) return found;
    // Memory costs time too.
    this.#spend(60);
    this.#composites.set(hash, { value, position, next: this.#composites.get(hash) });
    return undefined;
  }

  /** Whether an equal value was added. */
  has(value: unknown): boolean {
    const found = isComposite(value) ? this.#findComposite(value, this.#hash(value)) : this.#findPrimitive(value);
    return found !== undefined;
  }

  #findPrimitive(value: unknown): number | undefined {
    this.#spend(10);
    return this.#primitives.get(value);
  }

  #findComposite(value: object, hash: number): number | undefined {
    let entry = this.#composites.get(hash);
    // Who makes hashes collide pays for every comparison.
    while (entry && !this.#isEqual(entry.value, value)) entry = entry.next;
    return entry?.position;
  }

  #hash(value: unknown): number {
    this.#spend(10);
    if (typeof value === "string") return this.#hashText(value);
    if (typeof value === "number") {
      // Adding 0 makes one of the two zeros.
      double[0] = value + 0;
      return Math.imul(halves[0]! ^ halves[1]!, 0x9e3779b1);
    }
    if (!isComposite(value)) return value === null ? 1 : value ? 2 : 3;
    if (Array.isArray(value))
      return value.reduce((hash: number, item) => (Math.imul(hash, 31) + this.#hash(item)) | 0, 5);
    let hash = 7;
    // A sum, so that the order of the keys does not count.
    for (const key of Object.keys(value)) {
      this.#spend(30);
      hash = (hash + Math.imul(this.#hashText(key) | 1, this.#hash(Reflect.get(value, key)) ^ 0x85eb)) | 0;
    }
    return hash;
  }

  #hashText(text: string): number {
    this.#spend(text.length >> 2);
    let hash = 11;
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    return hash;
  }

  #isEqual(one: unknown, other: unknown): boolean {
    this.#spend(10);
    if (!isComposite(one) || !isComposite(other)) return one === other;
    if (Array.isArray(one) !== Array.isArray(other)) return false;
    const keys = Object.keys(one);
    this.#spend(30 * keys.length);
    return (
      keys.length === Object.keys(other).length &&
      keys.every((key) => Object.hasOwn(other, key) && this.#isEqual(Reflect.get(one, key), Reflect.get(other, key)))
    );
  }
}

/** An object or array, and the next one of the same hash. */
interface Entry {
  readonly value: object;
  readonly position: number;
  readonly next: Entry | undefined;
}

const double = new Float64Array(1);
const halves = new Int32Array(double.buffer);

function isComposite(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
