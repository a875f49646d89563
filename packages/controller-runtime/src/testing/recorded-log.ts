import type { Logger } from '../log.ts';

/** One line that was logged. */
export interface RecordedLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A logger that keeps its lines. */
export function createRecordedLog(): { log: Logger; lines: RecordedLine[] } {
  const lines: RecordedLine[] = [];
  const write = (level: string) => (fields: object, message: string) => {
    lines.push({ level, message, fields: { ...fields } });
  };
  return { log: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }, lines };
}
