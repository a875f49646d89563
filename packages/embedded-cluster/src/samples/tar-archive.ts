/** One entry of an archive. Owner is 0:0 unless given. */
export interface TarEntry {
  /** As it stands in the header, with or without a leading slash; at most 100 bytes. */
  readonly name: string;
  /** Content of a file; a directory when neither this nor `linkTo` is given. */
  readonly content?: string | Uint8Array;
  /** Target of a symbolic link. */
  readonly linkTo?: string;
  /** Permissions; 0755 for directories, 0644 for files, 0777 for links when absent. */
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
}

const blockBytes = 512;
/** 1980-01-01T00:00:01Z, the time that buildpack tools give to everything. */
const modifiedSeconds = 315_532_801;

/** A ustar archive of these entries, in this order: the same entries give the same bytes. */
export function createTar(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '');
    return [header(entry, content.length), content, Buffer.alloc(-content.length & (blockBytes - 1))];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]);
}

function header(entry: TarEntry, sizeBytes: number): Buffer {
  if (Buffer.byteLength(entry.name) > 100) throw new RangeError(`Name too long for a sample archive: ${entry.name}`);
  const block = Buffer.alloc(blockBytes);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  const [type, defaultMode] = typeOf(entry);
  block.write(entry.name, 0);
  block.write(octal(entry.mode ?? defaultMode, 7), 100);
  block.write(octal(entry.uid ?? 0, 7), 108);
  block.write(octal(entry.gid ?? 0, 7), 116);
  block.write(octal(sizeBytes, 11), 124);
  block.write(octal(modifiedSeconds, 11), 136);
  block.write(type, 156);
  block.write(entry.linkTo ?? '', 157);
  block.write('ustar\x0000', 257);
  block.write(`${octal(0, 7)}${octal(0, 7)}`, 329);
  // The checksum is taken with its own field full of spaces.
  block.write(' '.repeat(8), 148);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)} `, 148);
  return block;
}

function typeOf(entry: TarEntry): [type: string, mode: number] {
  if (entry.linkTo !== undefined) return ['2', 0o777];
  return entry.content === undefined ? ['5', 0o755] : ['0', 0o644];
}
