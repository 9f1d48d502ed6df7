// Runs before the program: replaces the clock by one that CLOCK names. `globalThis.clockReads` counts how often it was asked.
const real = Date.now.bind(Date);
const HOUR = 3_600_000;
const started = real();
const passed = () => real() - started;

/** A jump in the middle of whatever takes longer than this. */
const JUMP_AFTER = 400;
const jump = (by: number) => () => real() + (passed() > JUMP_AFTER ? by : 0);

const CLOCKS: Readonly<Record<string, () => number>> = {
  "an hour forward": jump(HOUR),
  "an hour back": jump(-HOUR),
  "a day forward": jump(24 * HOUR),
  "a day back": jump(-24 * HOUR),
  "back to 1970": () => (passed() > JUMP_AFTER ? passed() : real()),
  frozen: () => started,
  "an hour forward at every look": () => real() + HOUR * counter.clockReads!,
  "to and fro": () => real() + [0, HOUR, -HOUR, 24 * HOUR, -24 * HOUR][Math.floor(passed() / 10) % 5]!,
};

const counter = globalThis as { clockReads?: number };
counter.clockReads = 0;
const now = CLOCKS[process.env["CLOCK"] ?? ""];
if (!now) throw new Error(`There is no clock ${process.env["CLOCK"]}`);
Date.now = () => {
  counter.clockReads!++;
  return now();
};
