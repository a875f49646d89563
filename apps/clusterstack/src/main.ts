import { run } from '@buildkeeper/controller-runtime';
import { clusterStackController } from './controller.ts';

await run(clusterStackController);
