import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const timers = ['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval'].map((name) => ({
  name,
  message: 'Time is passed in: take a Clock.',
}));
const noFetch = { name: 'fetch', message: 'Use undici through registry-client or kube-client.' };
const noProcess = { name: 'process', message: 'Only controller-runtime and tools own the process.' };
const clockReads = [
  { object: 'Date', property: 'now', message: 'Time is passed in: take a Clock.' },
  { object: 'Math', property: 'random', message: 'Randomness is passed in: take a Random.' },
  { object: 'performance', property: 'now', message: 'Time is passed in: take a Clock.' },
];
const syntax = [
  { selector: 'ExportAllDeclaration', message: 'Name what a package exports.' },
  { selector: 'ExportDefaultDeclaration', message: 'Use a named export.' },
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Time is passed in: take a Clock.' },
];
const noModuleMocks = {
  selector: "CallExpression[callee.object.name='vi'][callee.property.name=/^(mock|doMock)$/]",
  message: 'Pass the dependency in; modules of ours are not mocked.',
};

/** Packages that only one folder may import, by style.md's list of sole owners. */
const owned = {
  undici: 'Only registry-client and kube-client speak HTTP outwards.',
  '@kubernetes/client-node': 'Only kube-client touches the Kubernetes client.',
  'js-yaml': 'Only kube-client parses YAML at run time.',
  'prom-client': 'Only metrics declares metrics.',
  typebox: 'Only kpack-api declares schemas.',
  pino: 'Only controller-runtime writes logs.',
};
const bannedImports = (allowed: readonly string[]) => ({
  paths: Object.entries(owned)
    .filter(([name]) => !allowed.includes(name))
    .map(([name, message]) => ({ name, message })),
  patterns: [{ group: ['@buildkeeper/*/*'], message: 'A package has one door.' }],
});
const owner = (folder: string, ...allowed: string[]) => ({
  files: [`packages/${folder}/src/**/*.ts`],
  rules: { 'no-restricted-imports': ['error', bannedImports(allowed)] as ['error', object] },
});

export default defineConfig(
  globalIgnores([
    '**/*.mjs',
    '**/*.cjs',
    '**/dist/**',
    '**/out-tsc/**',
    '.nx/**',
    '.cache/**',
    'coverage/**',
    '**/files/**',
  ]),
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 5],
      'max-depth': ['error', 3],
      'no-restricted-properties': ['error', ...clockReads],
      'no-restricted-globals': ['error', ...timers, noFetch, noProcess],
      'no-restricted-syntax': ['error', ...syntax, noModuleMocks],
      'no-restricted-imports': ['error', bannedImports([])],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/only-throw-error': ['error', { allowThrowingAny: false, allowThrowingUnknown: true }],
      '@typescript-eslint/prefer-promise-reject-errors': ['error', { allowThrowingUnknown: true }],
      '@typescript-eslint/use-unknown-in-catch-callback-variable': 'error',
    },
  },
  owner('registry-client', 'undici'),
  owner('kube-client', 'undici', '@kubernetes/client-node', 'js-yaml'),
  owner('metrics', 'prom-client'),
  owner('kpack-api', 'typebox'),
  owner('controller-runtime', 'pino'),
  {
    files: ['packages/retry-policy/src/clock.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: ['packages/controller-runtime/src/run.ts', 'tools/**/*.ts'],
    rules: { 'no-restricted-globals': ['error', ...timers, noFetch] },
  },
  {
    // Tests, the test cluster and the tools live at the edge: real sockets, real time.
    files: [
      '**/*.test.ts',
      '**/testing/**/*.ts',
      'packages/embedded-cluster/**/*.ts',
      'packages/retry-policy/src/manual-clock.ts',
      'tools/**/*.ts',
    ],
    rules: {
      'no-restricted-globals': 'off',
      'no-restricted-properties': 'off',
      'no-restricted-syntax': ['error', ...syntax.slice(0, 2), noModuleMocks],
      'no-restricted-imports': ['error', bannedImports(['undici', 'prom-client'])],
    },
  },
  {
    files: ['**/*.test.ts', '**/suites/**/*.ts'],
    rules: {
      'max-lines': ['error', 400],
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-floating-promises': 'error',
    },
  },
  { files: ['*.config.ts'], rules: { 'no-restricted-syntax': 'off', 'no-restricted-imports': 'off' } },
);
