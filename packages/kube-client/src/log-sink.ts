/** A line for the log, as data. It never holds a token. */
export interface LogEvent {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** Takes log lines. */
export type LogSink = (event: LogEvent) => void;
