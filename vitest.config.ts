import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { defineConfig } from 'vitest/config';
import { ClosingLineReporter } from './tools/checks/src/closing-line.ts';

const conditions = ['@buildkeeper/source', 'node', 'import', 'default'];

/** One test project for each folder with a package.json; the end-to-end tests start real processes and take longer. */
const projects = globSync('{packages,apps,tools}/*/package.json')
  .sort()
  .map((file) => dirname(file))
  .map((folder) => ({
    extends: true as const,
    test: {
      name: `@buildkeeper/${folder.split('/')[1] ?? ''}`,
      root: folder,
      include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
      testTimeout: folder === 'tools/e2e' ? 120_000 : 10_000,
      hookTimeout: folder === 'tools/e2e' ? 120_000 : 20_000,
    },
  }));

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    pool: 'threads',
    passWithNoTests: true,
    projects,
    reporters: ['default', new ClosingLineReporter()],
    coverage: { provider: 'v8', include: ['{packages,apps,tools}/*/src/**/*.ts'], exclude: ['**/*.test.ts'] },
  },
});
