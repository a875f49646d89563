import ts from 'typescript';
import { lineAt, type SourceText } from './source-text.ts';

/** Every `catch` block without a statement and without a comment that says why the error may be lost. */
export const silentCatches = (files: readonly SourceText[]): readonly string[] =>
  files.filter(({ path }) => /\.[cm]?[jt]s$/.test(path)).flatMap(silentCatchesOf);

const silentCatchesOf = ({ path, text }: SourceText): readonly string[] => {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const problems: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCatchClause(node) && /^\{\s*\}$/.test(node.block.getText(source))) {
      const line = String(lineAt(text, node.getStart(source)));
      problems.push(`${path}:${line}: an empty catch needs a comment that says why losing the error is right`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return problems;
};
