import { crc32, deflateRawSync, gzipSync } from "node:zlib";

/** An entry of an archive that a test makes; `link` is where a symbolic link leads. */
export interface MadeEntry {
  readonly path: string;
  readonly content?: string | Uint8Array;
  readonly link?: string;
}

/** A `.tgz` of these entries, whatever their paths are. */
export function makeTarball(entries: readonly MadeEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, content = "", link }) => {
    const bytes = Buffer.from(content as string);
    const header = Buffer.alloc(512);
    header.write(path, 0, 100);
    header.write("0000644\0", 100);
    header.write(`${bytes.length.toString(8).padStart(11, "0")}\0`, 124);
    header.write("        ", 148);
    header.write(link === undefined ? "0" : "2", 156);
    if (link !== undefined) header.write(link, 157, 100);
    header.write("ustar\u000000", 257);
    const sum = header.reduce((so, byte) => so + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

/** A `.zip` of these entries, whatever their paths are. */
export function makeZip(entries: readonly MadeEntry[]): Buffer {
  const files: Buffer[] = [];
  const list: Buffer[] = [];
  let offset = 0;
  for (const { path, content = "", link } of entries) {
    const bytes = Buffer.from((link ?? content) as string);
    const packed = deflateRawSync(bytes);
    const name = Buffer.from(path);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(8, 4);
    shared.writeUInt32LE(crc32(bytes), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(bytes.length, 18);
    shared.writeUInt16LE(name.length, 22);
    shared.copy(local, 4);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(0x0314, 4);
    shared.copy(central, 6);
    central.writeUInt32LE(((link === undefined ? 0o100644 : 0o120777) << 16) >>> 0, 38);
    central.writeUInt32LE(offset, 42);
    files.push(local, name, packed);
    list.push(central, name);
    offset += local.length + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  const table = Buffer.concat(list);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(table.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, table, end]);
}
