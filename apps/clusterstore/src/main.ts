import { run } from '@buildkeeper/controller-runtime';
import { clusterStoreController } from './controller.ts';

await run(clusterStoreController);
