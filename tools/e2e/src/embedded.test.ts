import { describe } from 'vitest';
import { keepsLastGoodSuite } from './suites/keeps-last-good.ts';
import { recoverySuite } from './suites/recovery.ts';
import { unchangedSuite } from './suites/unchanged.ts';

describe('against embedded', () => {
  const backend = { kind: 'embedded' } as const;
  recoverySuite(backend);
  keepsLastGoodSuite(backend);
  unchangedSuite(backend);
});
