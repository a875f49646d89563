import { type SourceText } from './source-text.ts';

/** Every package, app and tool without a README.md that starts with a heading. */
export const missingReadmes = (files: readonly SourceText[]): readonly string[] => {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  return [...texts.keys()]
    .map((path) => /^((?:packages|apps|tools)\/[^/]+)\/package\.json$/.exec(path)?.[1])
    .filter((folder) => folder !== undefined)
    .filter((folder) => !/^# \S/m.test(texts.get(`${folder}/README.md`) ?? ''))
    .map((folder) => `${folder}: needs a README.md with a heading: what it is, an example, what it does not do`);
};
