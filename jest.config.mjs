import { availableParallelism } from 'node:os'

/**
 * Large libraries that are the same for every file of tests. Left out are those that tell by `instanceof` what they are
 * given or what they return: a file of tests has classes Error, Date and Promise of its own.
 */
const shared = [
  ...['undici', 'kysely', 'ioredis', 'jose', 'tldts', 'axios', 'nodemailer', 'playwright-core', 'axe-core'],
  ...['@nats-io/[^/]+', '@opentelemetry/[^/]+'],
].join('|')

const compiled = ({ tsx }) => [
  '@swc/jest',
  {
    jsc: {
      parser: { syntax: 'typescript', tsx },
      transform: { react: { runtime: 'automatic' } },
      target: 'es2024',
    },
    module: { type: 'es6' },
    sourceMaps: 'inline',
  },
]

export default {
  // A file of tests with its services works for a whole core: more at once would only make each of them late.
  maxWorkers: availableParallelism(),
  globalSetup: '<rootDir>/packages/dev-env/src/jest-global-setup.ts',
  globalTeardown: '<rootDir>/packages/dev-env/src/jest-global-teardown.ts',
  testSequencer: '<rootDir>/scripts/longest-first.mjs',
  testEnvironment: '<rootDir>/packages/dev-env/src/jest-environment.ts',
  runtime: '<rootDir>/packages/dev-env/src/jest-runtime.ts',
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/.local/'],
  modulePathIgnorePatterns: ['<rootDir>/.local/', '<rootDir>/packages/[^/]+/dist/'],
  coverageProvider: 'v8',
  // Only what hangs meets it: a busy machine takes minutes for what a quiet one does in seconds.
  testTimeout: 300_000,
  transformIgnorePatterns: [`/node_modules/(?!(\\.pnpm|${shared})/)`],
  transform: {
    [`/node_modules/(${shared})/.+\\.[cm]?js$`]: '<rootDir>/packages/dev-env/src/jest-libraries.ts',
    '^.+\\.ts$': compiled({ tsx: false }),
    '^.+\\.tsx$': compiled({ tsx: true }),
  },
}
