import { availableParallelism } from 'node:os'

export default {
  // Most tests wait for their processes, so two cores run two at a time.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  globalSetup: '<rootDir>/packages/dev-env/src/jest-global-setup.ts',
  globalTeardown: '<rootDir>/packages/dev-env/src/jest-global-teardown.ts',
  testEnvironment: '<rootDir>/packages/dev-env/src/jest-environment.ts',
  extensionsToTreatAsEsm: ['.ts'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/.local/'],
  modulePathIgnorePatterns: ['<rootDir>/.local/', '<rootDir>/packages/[^/]+/dist/'],
  coverageProvider: 'v8',
  testTimeout: 30_000,
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
}
