import { Gauge, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { renderEach } from './render.ts';

describe('renderEach', () => {
  it('leaves out a metric whose collect rejects, and keeps the others', async () => {
    const registry = new Registry();
    const broken = () => Promise.reject(new Error('no such file'));
    new Gauge({ name: 'broken', help: 'x', registers: [registry], collect: broken });
    new Gauge({ name: 'whole', help: 'x', registers: [registry] }).set(1);
    expect(await renderEach(registry)).toBe('# HELP whole x\n# TYPE whole gauge\nwhole 1\n');
  });
});
