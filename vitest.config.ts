import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { defineConfig } from 'vitest/config';
import { ClosingLineReporter } from './tools/checks/src/closing-line.ts';

const conditions = ['@buildkeeper/source', 'node', 'import', 'default'];

/** One project of tests: a folder's name, which files, and when they run: groups one after the other. */
function projectOf(folder: string, include: string, order: { groupOrder: number; maxWorkers?: number }) {
  const isEndToEnd = folder === 'tools/e2e';
  return {
    extends: true as const,
    test: {
      name: `@buildkeeper/${folder.split('/')[1] ?? ''}${order.maxWorkers === 1 ? '-alone' : ''}`,
      root: folder,
      include: [include],
      exclude: order.maxWorkers === 1 ? [] : ['src/**/*.alone.test.ts'],
      testTimeout: isEndToEnd ? 120_000 : 10_000,
      hookTimeout: isEndToEnd ? 120_000 : 20_000,
      sequence: { groupOrder: order.groupOrder },
      ...(order.maxWorkers === undefined ? {} : { maxWorkers: order.maxWorkers }),
    },
  };
}

/** One test project for each folder with tests. Last come those that start real processes, and those that time them. */
const projects = globSync('{packages,apps,tools}/*/package.json')
  .sort()
  .map((file) => dirname(file))
  .filter((folder) => globSync(`${folder}/src/**/*.test.ts`).length > 0)
  .map((folder) => projectOf(folder, 'src/**/*.test.ts', { groupOrder: folder === 'tools/e2e' ? 1 : 0 }))
  .concat(projectOf('tools/e2e', 'src/**/*.alone.test.ts', { groupOrder: 2, maxWorkers: 1 }));

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    pool: 'threads',
    // No file leaves anything behind, and importing the Kubernetes client anew for each costs most of the time.
    isolate: false,
    projects,
    reporters: ['default', new ClosingLineReporter()],
    coverage: { provider: 'v8', include: ['{packages,apps,tools}/*/src/**/*.ts'], exclude: ['**/*.test.ts'] },
  },
});
