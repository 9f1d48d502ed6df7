import { styleText } from "node:util";

/** Where a command writes. Standard output is for results alone; everything said beside them goes to standard error. */
export interface Terminal {
  /** Writes a result, with a line end. */
  print(text: string): void;
  /** Writes a piece of a result as it comes. */
  write(text: string): void;
  /** Writes a line of a protocol, as it is. Resolves when the next one should be written, or nobody reads any more. */
  send(line: string): Promise<void>;
  /** Says something beside the result; silent with `--quiet`. */
  note(text: string): void;
  /** Says what went wrong; never silent. */
  warn(text: string): void;
  /** The text in a style, where there is a terminal that shows colours. */
  style(format: Style, text: string): string;
  /** Whether a person can be asked: input and error stream are a terminal. */
  readonly interactive: boolean;
  /** How many characters fit in a line of results; undefined when they do not go to a terminal. */
  readonly columns: number | undefined;
  /** Resolves when everything is written, or nobody reads any more. */
  flush(): Promise<void>;
}

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** How the terminal writes. */
export interface TerminalOptions {
  readonly quiet?: boolean;
  readonly color?: boolean;
  /** Goes over everything that is written: secrets do not get out. */
  readonly redact?: (text: string) => string;
}

/** The terminal of this process. Takes standard output for itself: what tools print there goes to standard error. */
export function createTerminal(options: TerminalOptions): Terminal {
  const { stdout, stderr, stdin } = process;
  const { redact = (text) => text } = options;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  for (const stream of [stdout, stderr]) stream.on("error", ignoreClosedPipe);
  // Results and remarks may go to different places; escapes are right only where both are shown.
  const colored = options.color !== false && !process.env["NO_COLOR"] && stdout.isTTY && stderr.isTTY;
  return {
    print: (text) => void write(`${redact(text)}\n`),
    write: (text) => void write(redact(text)),
    send: (line) => (write(`${line}\n`) ? DONE : drained(stdout)),
    note: (text) => void (options.quiet || stderr.write(`${redact(text)}\n`)),
    warn: (text) => void stderr.write(`${redact(text)}\n`),
    style: (format, text) => (colored ? styleText(format, text, { validateStream: false }) : text),
    interactive: stdin.isTTY && stderr.isTTY,
    columns: stdout.isTTY ? stdout.columns || 80 : undefined,
    async flush() {
      await new Promise<void>((resolve) => void write("", () => resolve()));
      await new Promise<void>((resolve) => void stderr.write("", () => resolve()));
    },
  };
}

const DONE = Promise.resolve();

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const event of ENDS) stream.off(event, done);
      resolve();
    };
    for (const event of ENDS) stream.on(event, done);
  });
}

const ENDS = ["drain", "close", "error"];

/** Text that a terminal can be shown: control, bidirectional and invisible characters are escapes, lines and tabs stay. */
export function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu, (character) => {
    if (character === "\n" || character === "\t") return character;
    return `\\u{${character.codePointAt(0)!.toString(16)}}`;
  });
}

/** The same in one line: line ends are escapes too. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll("\n", "\\n").replaceAll("\t", " ");
}

// `pegboard list | head -1` ends the reader first; that is no error.
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}
