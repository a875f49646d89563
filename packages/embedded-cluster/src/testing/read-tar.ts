import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { extract } from 'tar-stream';

/** One entry of an archive as another reader sees it. */
export interface ReadEntry {
  readonly name: string;
  readonly type: string;
  readonly mode: number;
  readonly owner: string;
  readonly linkTo: string;
  readonly modified: string;
  readonly content: string;
}

/** Reads a whole archive with a library that had no part in writing it. */
export async function readTar(tar: Uint8Array): Promise<ReadEntry[]> {
  const entries: ReadEntry[] = [];
  for await (const entry of Readable.from([tar]).pipe(extract())) {
    const { name, type, mode, uid, gid, linkname, mtime } = entry.header;
    const content = await text(entry);
    entries.push({
      name,
      type,
      mode,
      owner: `${uid}:${gid}`,
      linkTo: type === 'symlink' ? linkname : '',
      modified: mtime.toISOString(),
      content,
    });
  }
  return entries;
}
