/** The direction of dependencies: services -> packages -> contracts. */
module.exports = {
  forbidden: [
    {
      name: 'services-never-import-services',
      comment: 'Services speak through contracts: events and HTTP.',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'packages-never-import-services',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^services/' },
    },
    {
      name: 'contracts-import-zod-only',
      severity: 'error',
      from: { path: '^packages/contracts/src' },
      to: { pathNot: ['^packages/contracts/src', 'node_modules/zod'] },
    },
    {
      name: 'services-never-import-development',
      comment: 'What runs in production does not know the development tools.',
      severity: 'error',
      from: { path: '^services/[^/]+/src' },
      to: { path: '^packages/(dev-env|carrier-sandbox)' },
    },
    {
      name: 'layers-of-packages',
      comment: 'service-kit knows neither the bus nor the database; the bus does not know the database.',
      severity: 'error',
      from: { path: '^packages/(service-kit|messaging)/src' },
      to: { path: '^packages/(database|dev-env)' },
    },
    {
      name: 'service-kit-encrypts-nothing',
      comment: 'messaging seals events, the database rows; service-kit holds no content.',
      severity: 'error',
      from: { path: '^packages/service-kit/src' },
      to: { path: '^packages/privacy' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['(^|/)tests?/', '[.]test[.]ts$'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.mjs', '.js'],
    },
  },
}
