import { run } from '@buildkeeper/controller-runtime';
import { builderController } from './controller.ts';

await run(builderController);
