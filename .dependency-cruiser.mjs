const pkg = (names) => `^packages/(${names})/`;
const only = (name, from, allowed) => ({
  name,
  severity: 'error',
  comment: 'Imports go down only: see ARCHITECTURE.md.',
  from: { path: pkg(from), pathNot: '(\\.test\\.ts$|/tests/|/testing/)' },
  to: { path: '^(packages|apps|tools)/', pathNot: [pkg(`${from}${allowed ? `|${allowed}` : ''}`)] },
});

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    only('retry-policy-imports-nothing', 'retry-policy', ''),
    only('kpack-api-imports-nothing', 'kpack-api', ''),
    only('registry-client-down-only', 'registry-client', 'retry-policy'),
    only('kube-client-down-only', 'kube-client', 'retry-policy'),
    only('metrics-down-only', 'metrics', 'retry-policy'),
    only('keychain-down-only', 'keychain', 'retry-policy|registry-client|kube-client'),
    only('runtime-down-only', 'controller-runtime', 'retry-policy|kube-client|metrics'),
    only('buildpacks-down-only', 'buildpacks', 'kpack-api|retry-policy|registry-client|keychain'),
    only('embedded-cluster-down-only', 'embedded-cluster', 'retry-policy|kpack-api'),
    {
      name: 'apps-import-packages-only',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(apps|tools|packages)/', pathNot: ['^apps/$1/', '^packages/(?!embedded-cluster)'] },
    },
    {
      name: 'one-door',
      severity: 'error',
      comment: 'A package is entered by its index only.',
      from: { path: '^(packages|apps|tools)/([^/]+)/' },
      to: { path: '^packages/[^/]+/src/', pathNot: ['^packages/$2/', '/src/index\\.ts$'] },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: [
          '\\.(test|config)\\.ts$',
          '/testing/',
          '^tools/checks/src/closing-line\\.ts$',
          '\\.d\\.ts$',
          '/src/index\\.ts$',
        ],
      },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(dist|out-tsc|/files/)' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@buildkeeper/source', 'import', 'node', 'default', 'types'],
    },
  },
};
