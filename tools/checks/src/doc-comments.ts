import ts from 'typescript';
import { lineAt, type SourceText } from './source-text.ts';

/** How many exported names there are, and which of them (`path:line: name`) have no doc comment. */
export interface DocCoverage {
  readonly exported: number;
  readonly undocumented: readonly string[];
}

/** Least share of exported names that must have a doc comment. */
export const minDocShare = 0.95;

const isCounted = ({ path }: SourceText): boolean =>
  /^(packages|apps)\/[^/]+\/src\/.*\.ts$/.test(path) && !/(\.test|\/index)\.ts$/.test(path);

const hasDoc = (node: ts.Node): boolean => ts.getJSDocCommentsAndTags(node).some((part) => ts.isJSDoc(part));

const declarationsOf = (statement: ts.Statement): readonly ts.NamedDeclaration[] => {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations;
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return isNamed ? [statement] : [];
};

const isExported = (statement: ts.Statement): boolean =>
  ts.canHaveModifiers(statement) &&
  (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

/** Names of `export { a, b as c }` without `from`: those of another file are counted there. */
const listedNames = (source: ts.SourceFile): ReadonlySet<string> =>
  new Set(
    source.statements.flatMap((statement) => {
      if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier !== undefined) return [];
      const clause = statement.exportClause;
      if (clause === undefined || !ts.isNamedExports(clause)) return [];
      return clause.elements.map((element) => (element.propertyName ?? element.name).text);
    }),
  );

const exportsOf = ({ path, text }: SourceText): ReadonlyMap<string, { isDocumented: boolean; line: number }> => {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const listed = listedNames(source);
  const found = new Map<string, { isDocumented: boolean; line: number }>();
  for (const statement of source.statements) {
    for (const node of declarationsOf(statement)) {
      const name = node.name?.getText(source) ?? 'default';
      if (!isExported(statement) && !listed.has(name)) continue;
      // An overloaded function is one name; a comment on any of its signatures documents it.
      const isDocumented = hasDoc(node) || found.get(name)?.isDocumented === true;
      found.set(name, { isDocumented, line: lineAt(text, node.getStart(source)) });
    }
  }
  return found;
};

/** Doc comments of everything that packages and apps export; tests and index files are not counted. */
export const docCoverage = (files: readonly SourceText[]): DocCoverage => {
  const names = files.filter(isCounted).flatMap((file) =>
    [...exportsOf(file)].map(([name, { isDocumented, line }]) => ({
      isDocumented,
      where: `${file.path}:${String(line)}: ${name}`,
    })),
  );
  return {
    exported: names.length,
    undocumented: names.filter(({ isDocumented }) => !isDocumented).map(({ where }) => where),
  };
};
