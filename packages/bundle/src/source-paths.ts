import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'esbuild'

const builtin = (name: string) => `globalThis.process.getBuiltinModule(${JSON.stringify(name)})`

/** Leaves our sources where they are by `import.meta`, for bundles that run beside them: they find the same files. */
export const sourcePaths: Plugin = {
  name: 'source-paths',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      if (path.includes('/node_modules/') || !text.includes('import.meta')) return null
      const url = JSON.stringify(pathToFileURL(path).href)
      const resolve = `${builtin('node:module')}.createRequire(${url}).resolve(name)`
      const contents = text
        .replaceAll('import.meta.resolve', `((name) => ${builtin('node:url')}.pathToFileURL(${resolve}).href)`)
        .replaceAll('import.meta.url', url)
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.filename', JSON.stringify(path))
      return { loader: 'ts', contents }
    })
  },
}
