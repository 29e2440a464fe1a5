import { createRequire } from 'node:module'
import { sharedModule } from './shared-modules.ts'

const load = createRequire(import.meta.url)

/**
 * Replaces the entry file of a library by one that takes the library as Node loads it: once for each worker of jest, with
 * its compile cache. By default jest loads every library again for each test file.
 */
const transformer = {
  process(_source: string, path: string, { supportsStaticESM }: { supportsStaticESM: boolean }): { code: string } {
    const library = sharedModule(path)
    if (!supportsStaticESM) return { code: `module.exports = ${library}` }
    const names = Object.keys(load(path) as object).filter((name) => name !== 'module.exports')
    const lines = names.map(
      (name, at) => `const _${at} = library[${JSON.stringify(name)}]; export { _${at} as ${name} }`,
    )
    return { code: [`const library = ${library}`, ...lines].join('\n') }
  },
}

export default transformer
