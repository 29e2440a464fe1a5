import { beforeEach, expect, test } from '@jest/globals'
import { KeptModules, type Loader } from './kept-modules.ts'

let kept: KeptModules
beforeEach(() => {
  kept = new KeptModules()
})

/** Runs a file of tests that loads these modules, each with what it imports. @returns the modules that it found */
function runFile(graph: Record<string, string[]> = {}, during: (loader: Loader) => void = () => {}): string[] {
  const loader: Loader = {
    registries: { esModuleRegistry: new Map(), moduleRegistry: new Map(), internalModuleRegistry: new Map() },
    esmLoader: { buildSyncSourceEntry: ({ cacheKey }) => ({ cacheKey, deps: graph[cacheKey] ?? [] }) },
    testState: { state: 'loading' },
    transformCache: { sourceMaps: new Map() },
  }
  kept.give(loader)
  const { esModuleRegistry } = loader.registries
  const found = [...esModuleRegistry.keys()]
  for (const cacheKey of Object.keys(graph)) {
    if (!cacheKey.startsWith('@jest/globals/')) loader.esmLoader.buildSyncSourceEntry({ cacheKey })
    esModuleRegistry.set(cacheKey, { status: 'evaluated' })
  }
  during(loader)
  kept.take(loader, () => {
    for (const registry of Object.values(loader.registries)) registry.clear()
    loader.testState.state = 'tornDown'
  })
  return found
}

test('a file of tests gets the modules that an earlier one has loaded, but not that file', () => {
  runFile({
    'file:///p/src/a.test.ts': ['file:///p/src/a.ts'],
    'file:///p/src/a.ts': ['node:fs'],
    'file:///p/tests/harness.ts': [],
    'node:fs': [],
  })
  expect(runFile()).toEqual(['file:///p/src/a.ts', 'node:fs'])
})

test('modules that import the functions of jest, directly or not, are loaded again', () => {
  runFile({
    'file:///kit/src/index.ts': ['file:///kit/src/expect.ts', 'file:///kit/src/plain.ts'],
    'file:///kit/src/expect.ts': ['@jest/globals//kit/src/expect.ts'],
    'file:///kit/src/plain.ts': [],
    '@jest/globals//kit/src/expect.ts': [],
  })
  expect(runFile()).toEqual(['file:///kit/src/plain.ts'])
})

test('modules that failed, or were loaded asynchronously, are loaded again; libraries are not', () => {
  runFile({}, ({ registries }) => {
    registries.esModuleRegistry.set('file:///p/src/failed.ts', { status: 'errored' })
    registries.esModuleRegistry.set('file:///p/src/waits.ts', { status: 'evaluated' })
    registries.esModuleRegistry.set('file:///p/node_modules/pg/index.js', { status: 'evaluated' })
  })
  expect(runFile()).toEqual(['file:///p/node_modules/pg/index.js'])
})

test('modules in CommonJS and those of jest itself are kept, but not the part that holds the tests of a file', () => {
  runFile({}, ({ registries }) => {
    registries.moduleRegistry.set('/p/node_modules/pg/lib/index.js', {})
    registries.internalModuleRegistry.set('/p/node_modules/jest-circus/build/index.js', {})
    registries.internalModuleRegistry.set('/p/node_modules/expect/build/index.js', {})
  })
  runFile({}, ({ registries }) => {
    expect([...registries.moduleRegistry.keys()]).toEqual(['/p/node_modules/pg/lib/index.js'])
    expect([...registries.internalModuleRegistry.keys()]).toEqual(['/p/node_modules/expect/build/index.js'])
  })
})

test('a kept module can load others after its file: the next one finds them', () => {
  let first: Loader | undefined
  runFile({}, (loader) => {
    first = loader
  })
  expect(first?.testState.state).toBe('inTest')
  first?.registries.esModuleRegistry.set('file:///p/node_modules/late/index.js', { status: 'evaluated' })
  expect(runFile()).toEqual(['file:///p/node_modules/late/index.js'])
})
