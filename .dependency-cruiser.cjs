/** Dependencies: services -> packages -> contracts. */
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
      name: 'carriers-stand-below-services',
      comment:
        'Carriers know contracts, privacy and service-kit; the sandbox plays the carriers and must not know our side.',
      severity: 'error',
      from: { path: '^packages/carriers/src' },
      to: { path: '^packages/(database|messaging|dev-env|carrier-sandbox)' },
    },
    {
      name: 'sandbox-knows-no-carriers-of-ours',
      severity: 'error',
      from: { path: '^packages/carrier-sandbox' },
      to: { path: '^packages/carriers' },
    },
    {
      name: 'dispatch-never-receives',
      comment: 'dispatch loads the sending halves of carriers only.',
      severity: 'error',
      from: { path: '^services/dispatch/src' },
      to: { path: '^packages/carriers/src/(receiving[.]ts$|[^/]+/receive[.]ts$)', reachable: true },
    },
    {
      name: 'callbacks-never-sends',
      comment: 'callbacks loads the receiving halves of carriers only, and none of the SDKs that send.',
      severity: 'error',
      from: { path: '^services/callbacks/src' },
      to: { path: '^packages/carriers/src/(sending[.]ts$|[^/]+/(send|transport|client)[.]ts$)', reachable: true },
    },
    {
      name: 'no-cycles',
      comment:
        'Not even of types. tests/architecture/wings.test.ts holds the order of the folders of dispatch, which is stricter.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['(^|/)tests?/', '^packages/[^/]+/dist/', '^packages/test-kit/', '[.]test[.]ts$'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js'],
    },
  },
}
