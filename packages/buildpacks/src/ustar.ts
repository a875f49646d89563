/** Something to be put into a layer; all of it belongs to the moment {@link layerTimeSeconds}. */
export interface TarEntry {
  /** Path with a leading slash and none at the end; at most 100 ASCII characters. */
  readonly name: string;
  readonly mode: number;
  readonly uid?: number;
  readonly gid?: number;
  readonly content: TarContent;
}

/** What an entry is. */
export type TarContent =
  | { readonly kind: 'directory' }
  | { readonly kind: 'file'; readonly bytes: Uint8Array }
  | { readonly kind: 'symlink'; readonly target: string };

/** 1980-01-01T00:00:01Z: the modification time that tools of Cloud Native Buildpacks give to everything, so that equal contents have equal digests. */
export const layerTimeSeconds = 315_532_801;

const blockSize = 512;
/** Largest number that the seven octal digits of a uid or gid hold. */
const maxOctalId = 0o7777777;

/**
 * A tar archive, byte for byte as Go's `archive/tar` writes it, because digests of layers are compared with those
 * that other tools of Cloud Native Buildpacks make. USTAR; an entry whose uid or gid needs more than seven octal
 * digits gets a PAX header in front.
 *
 * @see https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html
 */
export function writeTar(entries: readonly TarEntry[]): Uint8Array {
  const blocks = entries.flatMap((entry) => [...paxBlocks(entry), headerOf(entry), ...contentBlocks(bytesOf(entry))]);
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockSize)]);
}

interface Header {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
  readonly timeSeconds?: number;
  readonly target?: string;
  /** Whether the device numbers are written out; Go leaves them empty in the header of PAX records. */
  readonly hasDevices: boolean;
}

const typeFlags = { file: '0', symlink: '2', directory: '5' } as const;

function headerOf(entry: TarEntry): Buffer {
  return header({
    name: entry.name,
    type: typeFlags[entry.content.kind],
    size: bytesOf(entry).length,
    mode: entry.mode,
    uid: octalId(entry.uid),
    gid: octalId(entry.gid),
    timeSeconds: layerTimeSeconds,
    target: entry.content.kind === 'symlink' ? entry.content.target : '',
    hasDevices: true,
  });
}

function header(fields: Header): Buffer {
  const block = Buffer.alloc(blockSize);
  writeText(block, 0, 100, fields.name);
  writeOctal(block, 100, 8, fields.mode ?? 0);
  writeOctal(block, 108, 8, fields.uid ?? 0);
  writeOctal(block, 116, 8, fields.gid ?? 0);
  writeOctal(block, 124, 12, fields.size);
  writeOctal(block, 136, 12, fields.timeSeconds ?? 0);
  writeText(block, 156, 1, fields.type);
  writeText(block, 157, 100, fields.target ?? '');
  block.write('ustar\x0000', 257, 'latin1');
  if (fields.hasDevices) {
    writeOctal(block, 329, 8, 0);
    writeOctal(block, 337, 8, 0);
  }
  // The checksum is summed with its own field full of spaces, and keeps the last of them.
  block.fill(' ', 148, 156);
  writeOctal(
    block,
    148,
    7,
    block.reduce((sum, byte) => sum + byte, 0),
  );
  block[155] = 0x20;
  return block;
}

/** The header and the records of what doesn't fit into a USTAR header; nothing for nearly all entries. */
function paxBlocks(entry: TarEntry): Uint8Array[] {
  const records = (['gid', 'uid'] as const)
    .filter((field) => (entry[field] ?? 0) > maxOctalId)
    .map((field) => paxRecord(field, String(entry[field])))
    .join('');
  if (records === '') return [];
  const slash = entry.name.lastIndexOf('/');
  const name = `${entry.name.slice(0, slash)}/PaxHeaders.0${entry.name.slice(slash)}`;
  return [header({ name, type: 'x', size: records.length, hasDevices: false }), ...contentBlocks(Buffer.from(records))];
}

/** A record starts with its own length, the digits of the length included. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = rest.length + 1;
  while (`${length}${rest}`.length !== length) length += 1;
  return `${length}${rest}`;
}

function contentBlocks(bytes: Uint8Array): Uint8Array[] {
  const padding = (blockSize - (bytes.length % blockSize)) % blockSize;
  return [bytes, Buffer.alloc(padding)];
}

function bytesOf(entry: TarEntry): Uint8Array {
  return entry.content.kind === 'file' ? entry.content.bytes : new Uint8Array();
}

function octalId(id = 0): number {
  return id > maxOctalId ? 0 : id;
}

function writeText(block: Buffer, offset: number, width: number, text: string): void {
  if (text.length > width || !/^[\x20-\x7e]*$/.test(text))
    throw new RangeError(`Cannot write ${text} into a tar header`);
  block.write(text, offset, 'latin1');
}

/** Padded with zeros, a NUL at the end. */
function writeOctal(block: Buffer, offset: number, width: number, value: number): void {
  block.write(`${value.toString(8).padStart(width - 1, '0')}\0`, offset, 'latin1');
}
