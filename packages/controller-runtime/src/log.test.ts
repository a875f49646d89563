import { describe, expect, it } from 'vitest';
import { createLogger, sinkOf, withoutSecrets } from './log.ts';

function rig(level = 'info') {
  const texts: string[] = [];
  const log = createLogger({ level, destination: { write: (text) => void texts.push(text) } });
  const lines = () => texts.map((text) => JSON.parse(text) as Record<string, unknown>);
  return { log, lines, text: () => texts.join('') };
}

describe('createLogger', () => {
  it('writes one line of JSON with the level as a word and the time as a date', () => {
    const { log, lines } = rig();
    log.info({ controller: 'widget', durationMs: 3 }, 'reconciled');
    expect(lines()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
        controller: 'widget',
        durationMs: 3,
        msg: 'reconciled',
      },
    ]);
  });

  it.each([
    { level: 'debug', count: 4 },
    { level: 'info', count: 3 },
    { level: 'error', count: 1 },
  ])('writes from level $level on', ({ level, count }) => {
    const { log, lines } = rig(level);
    for (const name of ['debug', 'info', 'warn', 'error'] as const) log[name]({}, name);
    expect(lines()).toHaveLength(count);
  });

  it('writes of an error its type, message, stack and causes, and nothing that hangs on it', () => {
    const { log, lines, text } = rig();
    const error = new TypeError('outer', { cause: new Error('inner', { cause: 'text' }) });
    Object.assign(error, { request: { authorization: 'Basic hunter2' } });
    log.error({ err: error }, 'x');
    expect(lines()[0]?.['err']).toMatchObject({
      type: 'TypeError',
      message: 'outer',
      stack: expect.stringContaining('log.test') as string,
      cause: { message: 'inner', cause: { type: 'string', message: 'text' } },
    });
    expect(text()).not.toContain('hunter2');
  });

  it('ends with a chain of causes that has no end', () => {
    const { log, lines } = rig();
    const error = new Error('round');
    error.cause = error;
    log.error({ err: error }, 'x');
    expect(lines()).toHaveLength(1);
  });

  it('keeps fields that are secrets by their name out', () => {
    const { log, text } = rig();
    log.info({ password: 'hunter2', request: { headers: { authorization: 'hunter2' }, token: 'hunter2' } }, 'x');
    expect(text()).not.toContain('hunter2');
  });
});

describe('sinkOf', () => {
  it('writes what kube-client tells, with the fields of its owner', () => {
    const { log, lines } = rig();
    sinkOf(log, { controller: 'widget' })({ level: 'warn', msg: 'watch ended', kind: 'Widget' });
    expect(lines()[0]).toMatchObject({ level: 'warn', msg: 'watch ended', kind: 'Widget', controller: 'widget' });
  });
});

describe('withoutSecrets', () => {
  it.each([
    { text: 'GET https://user:hunter2@r.example/v2/', want: 'GET https://[redacted]@r.example/v2/' },
    { text: 'PUT https://r.example/v2/u?_state=abc&x=y failed', want: 'PUT https://r.example/v2/u?[redacted] failed' },
    { text: 'authorization: Bearer eyJh.eyJz.c2ln', want: 'authorization: Bearer [redacted]' },
    { text: 'Basic dXNlcjpwYXNz', want: 'Basic [redacted]' },
    { text: 'Cannot read manifest r.example/base:1 (503)', want: 'Cannot read manifest r.example/base:1 (503)' },
  ])('turns $text into $want', ({ text, want }) => {
    expect(withoutSecrets(text)).toBe(want);
  });
});
