import { isBuiltin } from 'node:module'
import type { Plugin } from 'esbuild'

/**
 * Takes Node's own modules as plain objects. An import of one as an ES module reads all its properties, and so loads what Node would
 * load on demand: `node:http` its WebSocket with all of fetch, for 1 MB and some 60 ms.
 */
export const plainBuiltins: Plugin = {
  name: 'plain-builtins',
  setup(build) {
    build.onResolve({ filter: /./ }, ({ path, kind }) =>
      kind === 'import-statement' && isBuiltin(path) ? { path, namespace: 'builtin', sideEffects: false } : null,
    )
    build.onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = globalThis.process.getBuiltinModule(${JSON.stringify(path)})`,
      loader: 'js',
    }))
  },
}
