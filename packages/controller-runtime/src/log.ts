import type { LogSink } from '@buildkeeper/kube-client';
import { pino, stdTimeFunctions, type DestinationStream } from 'pino';

/** Writes log lines: fields first, then the text. Secrets have no place in either. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A logger of JSON lines. An error belongs under `err`; of it only type, message, stack and causes are written. */
export function createLogger(options: { readonly level: string; readonly destination: DestinationStream }): Logger {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      serializers: { err: errorFields },
      redact: { paths: secretPaths, censor: '[redacted]' },
    },
    options.destination,
  );
}

/** The logger as the sink that kube-client writes to, every line with `fields`. */
export function sinkOf(log: Logger, fields: object): LogSink {
  return ({ level, msg, ...rest }) => {
    log[level]({ ...fields, ...rest }, msg);
  };
}

/** A second line of defence: nothing of this kind is logged on purpose. */
const secretPaths = ['password', 'token', 'authorization', 'headers', 'auth'].flatMap((name) => [name, `*.${name}`]);

const maxCauses = 5;

function errorFields(error: unknown, depth = 0): object {
  if (!(error instanceof Error)) return { type: typeof error, message: withoutSecrets(String(error)) };
  const cause = error.cause === undefined || depth >= maxCauses ? {} : { cause: errorFields(error.cause, depth + 1) };
  const stack = withoutSecrets(error.stack ?? '');
  return { type: error.name, message: withoutSecrets(error.message), stack, ...cause };
}

/** Takes credentials out of a text that a library wrote: user info and queries of URLs, and authorization values. */
export function withoutSecrets(text: string): string {
  return text
    .replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, '$1[redacted]@')
    .replace(/\b([a-z][a-z0-9+.-]*:\/\/[^\s?]+)\?[^\s"')]+/gi, '$1?[redacted]')
    .replace(/\b(Bearer|Basic)\s+[\w.~+/=-]+/g, '$1 [redacted]');
}
