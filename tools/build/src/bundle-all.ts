import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { bundleApp } from './bundle.ts';

const mains = globSync('apps/*/src/main.ts').sort();
await Promise.all(mains.map((main) => bundleApp(dirname(dirname(main)))));
