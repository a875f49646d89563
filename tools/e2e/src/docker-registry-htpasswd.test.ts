import { describe } from 'vitest';
import { keepsLastGoodSuite } from './suites/keeps-last-good.ts';
import { recoverySuite } from './suites/recovery.ts';
import { unchangedSuite } from './suites/unchanged.ts';
import { hasTool } from './testing/tools.ts';

describe.skipIf(!hasTool('docker-registry'))('against docker-registry with htpasswd', () => {
  const backend = { kind: 'docker-registry with htpasswd' } as const;
  recoverySuite(backend);
  keepsLastGoodSuite(backend);
  unchangedSuite(backend);
});
