import { run } from '@buildkeeper/controller-runtime';
import { clusterBuilderController } from './controller.ts';

await run(clusterBuilderController);
