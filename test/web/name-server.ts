import { createSocket, type RemoteInfo } from "node:dgram";
import { isIPv4 } from "node:net";

/** The addresses of a name; a function is asked with how often the name's IPv4 addresses were asked for before. */
export type Answers = readonly string[] | ((asked: number) => readonly string[]);

const A = 1;
const AAAA = 28;

/** Answers questions for addresses by UDP, on port 53 of this address. What is not in the table does not exist. */
export async function serveNames(address: string, names: Readonly<Record<string, Answers>>): Promise<void> {
  const asked = new Map<string, number>();
  const socket = createSocket("udp4");
  socket.on("message", (question: Buffer, { port, address: from }: RemoteInfo) => {
    const { name, type, end } = readQuestion(question);
    const count = asked.get(name) ?? 0;
    if (type === A) asked.set(name, count + 1);
    const found = names[name];
    const addresses = (typeof found === "function" ? found(count) : (found ?? [])).filter(
      (each) => (isIPv4(each) ? A : AAAA) === type,
    );
    const header = Buffer.from(question.subarray(0, 12));
    header.writeUInt16BE(found ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(addresses.length, 6);
    header.writeUInt32BE(0, 8);
    socket.send([header, question.subarray(12, end), ...addresses.map((each) => toRecord(each, type))], port, from);
  });
  await new Promise<void>((resolve) => socket.bind(53, address, resolve));
}

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** A record for the name of the question, which may not be kept. */
function toRecord(address: string, type: number): Buffer {
  const bytes =
    type === A ? address.split(".").map(Number) : toGroups(address).flatMap((group) => [group >> 8, group & 255]);
  const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
  return Buffer.concat([record, Buffer.from(bytes)]);
}

function toGroups(address: string): number[] {
  const [head = "", tail = ""] = address.split("::").map((part) => part);
  const parse = (text: string) => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
  const [before, after] = [parse(head), parse(tail)];
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}
