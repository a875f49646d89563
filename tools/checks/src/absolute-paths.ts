import { lineAt, type SourceText } from './source-text.ts';

/** Home folders that container images have, so that a file may name them. */
const imageHomes = ['cnb', 'nonroot', 'node'];

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** A path that starts a word; `packages/root/` or a URL's path is none. */
const absolutePath = (workspace: string): RegExp => {
  const homes = `/home/(?!(?:${imageHomes.join('|')})\\b)[\\w.-]`;
  // A repository that stands in the root folder has a name like /workspace or /app, which files name for other reasons.
  const own = /^\/[^/]+\/./.test(workspace) ? [`${escaped(workspace)}\\b`] : [];
  return new RegExp(`(?<![\\w.~}/*-])(?:${[homes, '/root/[\\w.-]', '/Users/[\\w.-]', ...own].join('|')})`, 'g');
};

/**
 * Every place that names a folder of one person's machine.
 *
 * @param workspace absolute path of the repository
 */
export const machinePaths = (files: readonly SourceText[], workspace: string): readonly string[] => {
  const pattern = absolutePath(workspace);
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(
      ({ index }) => `${path}:${String(lineAt(text, index))}: names a folder of one machine; use a relative path`,
    ),
  );
};
