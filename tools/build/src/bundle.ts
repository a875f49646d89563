import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

/**
 * Bundles one app into `dist/main.mjs`: sources of the workspace and libraries together, not minified, so that
 * stacks stay readable. The map stands beside it as an artifact and is not loaded at run time.
 *
 * @param appFolder path of the app, for instance `apps/builder`
 */
export async function bundleApp(appFolder: string): Promise<void> {
  const input = join(resolve(appFolder), 'src/main.ts');
  if (!existsSync(input)) throw new Error(`${appFolder} is no app: it has no src/main.ts`);
  const bundle = await rolldown({
    input,
    platform: 'node',
    cwd: resolve(appFolder),
    resolve: { conditionNames: ['@buildkeeper/source', 'node', 'import', 'default'] },
    onLog: (level, log) => {
      if (level === 'warn' && log.code !== 'CIRCULAR_DEPENDENCY') console.warn(log.message);
    },
  });
  await bundle.write({
    file: join(resolve(appFolder), 'dist/main.mjs'),
    format: 'esm',
    codeSplitting: false,
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await bundle.close();
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error('Say which app: node tools/build/src/bundle.ts apps/builder');
  await bundleApp(folder);
}
