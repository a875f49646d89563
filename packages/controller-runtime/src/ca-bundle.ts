import type { Clock } from '@buildkeeper/retry-policy';

/** The CA certificates of `--registry-ca`, as the file has them now. */
export interface CaBundle {
  /** Undefined when no file was named. A file that cannot be read for a moment keeps its last text. */
  read(): string | undefined;
  /** Looks at the file every ten seconds until the signal aborts, and tells when its text has changed. */
  run(onChange: () => void, signal: AbortSignal): Promise<void>;
}

/** How often the file is looked at; a mounted Secret takes longer than this to arrive. */
const pollMs = 10_000;

/** Makes the bundle of a file. `readFile` throws when the file cannot be read. */
export function createCaBundle(
  path: string | undefined,
  deps: { readonly readFile: (path: string) => string; readonly clock: Clock },
): CaBundle {
  let text: string | undefined;
  const read = () => {
    if (path === undefined) return undefined;
    try {
      text = deps.readFile(path);
    } catch {
      // A file that is being replaced is away for a moment, and refusing every registry would be the worse answer.
    }
    return text;
  };
  return {
    read,
    async run(onChange, signal) {
      if (path === undefined) return;
      let before = read();
      const pause = () =>
        deps.clock.sleep(pollMs, signal).then(
          () => true,
          () => false,
        );
      while (await pause()) {
        const now = read();
        if (now !== before) onChange();
        before = now;
      }
    },
  };
}
