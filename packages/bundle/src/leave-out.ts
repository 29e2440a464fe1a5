import { basename, dirname } from 'node:path'
import type { Plugin } from 'esbuild'

interface LeftOut {
  /** What is imported, as it is written. */
  filter: RegExp
  /** The file that imports it. */
  importer: RegExp
  keep?: readonly string[]
  /** The programs that do without it; all unless given. */
  of?: RegExp
}

/** Parts of packages that are loaded or parsed although nothing of ours uses them. */
const parts: LeftOut[] = [
  // Messages of validation in fifty languages; English is loaded by itself.
  { filter: /^\.\.\/locales\/index\.js$/, importer: /\/zod\/v4\/classic\/external\.js$/ },
  // Services read bodies with service-kit.
  { filter: /^body-parser$/, importer: /\/express\/lib\/express\.js$/, of: /^services\// },
  // Every product of Twilio but the one that sends messages, from modules that its client requires on demand.
  { filter: /^\.\/\w+$/, importer: /\/twilio\/lib\/rest\/Twilio\.js$/, keep: ['Api'] },
]

/** Replaces the parts that a program does not use by an empty module. */
export function leaveOut(program: string): Plugin {
  return {
    name: 'leave-out',
    setup(build) {
      for (const { filter, importer, keep = [], of = /./ } of parts) {
        if (!of.test(program)) continue
        build.onResolve({ filter }, ({ path, importer: from }) => {
          const isUsed = !importer.test(from) || keep.includes(basename(path))
          return isUsed ? null : { path: `${dirname(from)} ${path}`, namespace: 'left-out', sideEffects: false }
        })
      }
      build.onLoad({ filter: /./, namespace: 'left-out' }, () => ({ contents: 'module.exports = {}', loader: 'js' }))
    },
  }
}
