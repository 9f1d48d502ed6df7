/**
 * Reads a stream of server-sent events: hands over what each message says, and leaves out what is none. Throws when a
 * message is longer than so many characters; then nothing more is to be given to it.
 */
export function createEventReader(most: number, message: (text: string) => void): (text: string) => void {
  let held = "";
  let open = false;
  let type = "";
  let said: string[] = [];
  let size = 0;

  function line(text: string): void {
    if (text === "") {
      if (said.length > 0 && (type === "" || type === "message")) message(said.join("\n"));
      type = "";
      said = [];
      size = 0;
      return;
    }
    const colon = text.indexOf(":");
    const field = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? "" : text.slice(text[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") said.push(value);
    if (field === "event") type = value;
    check((size += value.length));
  }

  function check(length: number): void {
    if (length > most) throw new Error(`a message is longer than ${most} bytes`);
  }

  return (text) => {
    // A long line that comes in many pieces is looked through once.
    if (!open && !/[\r\n]/.test(text)) held += text;
    else {
      // A carriage return at the end of a piece may be half of a line's end.
      const lines = (held + text).split(/\r\n|\n|\r(?!$)/);
      held = lines.pop()!;
      for (const one of lines) line(one);
      open = held.endsWith("\r");
    }
    check(held.length);
  };
}
