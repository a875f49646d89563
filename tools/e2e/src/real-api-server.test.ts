import { afterAll, describe } from 'vitest';
import { closeSharedRealCluster, realApiServer } from './real-api.ts';
import { keepsLastGoodSuite } from './suites/keeps-last-good.ts';
import { recoverySuite } from './suites/recovery.ts';
import { refusalsSuite } from './suites/refusals.ts';
import { unchangedSuite } from './suites/unchanged.ts';

describe.skipIf(realApiServer.isSkipped)(realApiServer.title, () => {
  const backend = { kind: 'embedded', apiServer: 'real' } as const;
  afterAll(closeSharedRealCluster);
  recoverySuite(backend);
  keepsLastGoodSuite(backend);
  unchangedSuite(backend);
  refusalsSuite();
});
