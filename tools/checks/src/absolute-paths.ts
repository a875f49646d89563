import { lineAt, type SourceText } from './source-text.ts';

/** Home folders that container images have, so that a file may name them. */
const imageHomes = ['cnb', 'nonroot', 'node'];

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** A path that starts a word; `packages/root/` or a URL's path is none. */
const absolutePath = (workspaceParent: string): RegExp => {
  const homes = `/home/(?!(?:${imageHomes.join('|')})\\b)[\\w.-]`;
  const parent = workspaceParent === '/' ? [] : [`${escaped(workspaceParent)}/[\\w.-]`];
  return new RegExp(`(?<![\\w.~}/*-])(?:${[homes, '/root/[\\w.-]', '/Users/[\\w.-]', ...parent].join('|')})`, 'g');
};

/**
 * Every place that names a folder of one person's machine.
 *
 * @param workspaceParent absolute path of the folder that holds the repository
 */
export const machinePaths = (files: readonly SourceText[], workspaceParent: string): readonly string[] => {
  const pattern = absolutePath(workspaceParent);
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(
      ({ index }) => `${path}:${String(lineAt(text, index))}: names a folder of one machine; use a relative path`,
    ),
  );
};
