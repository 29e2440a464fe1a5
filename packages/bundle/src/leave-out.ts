import { basename, dirname } from 'node:path'
import type { Plugin } from 'esbuild'

interface LeftOut {
  /** What is imported, as it is written. */
  filter: RegExp
  /** The file that imports it. */
  importer: RegExp
  keep?: readonly string[]
  /** What its importer calls while it loads; an empty module unless given. */
  stub?: string
  /** The programs that do without it; all unless given. */
  of?: RegExp
}

/** Parts of packages that are loaded or parsed although nothing of ours uses them. */
const parts: LeftOut[] = [
  // Messages of validation in fifty languages; English is loaded by itself.
  { filter: /^\.\.\/locales\/index\.js$/, importer: /\/zod\/v4\/(classic\/external|core\/index)\.js$/ },
  // Services read bodies with service-kit.
  { filter: /^body-parser$/, importer: /\/express\/lib\/express\.js$/, of: /^services\// },
  // Clients and pools are used; fetch, WebSocket and EventSource are Node's own.
  {
    filter: /^\.\/lib\/(mock|web|cache|interceptor)\//,
    importer: /\/undici\/index\.js$/,
    stub: 'exports.CacheStorage = class {}',
  },
  // Who called pino, for its transports, which are not used: with source maps Node parses the whole map to say it.
  { filter: /^\.\/lib\/caller$/, importer: /\/pino\/pino\.js$/, stub: 'module.exports = () => undefined' },
  // Express names a thousand types; services name theirs in full, and stand-ins answer HTML, text and JSON.
  {
    filter: /^mime-db$/,
    importer: /\/mime-types\/index\.js$/,
    stub: `module.exports = {
      'text/html': { charset: 'UTF-8', extensions: ['html'] },
      'text/plain': { charset: 'UTF-8', extensions: ['txt'] },
      'text/css': { charset: 'UTF-8', extensions: ['css'] },
      'text/javascript': { charset: 'UTF-8', extensions: ['js', 'mjs'] },
      'application/json': { charset: 'UTF-8', extensions: ['json', 'map'] },
      'application/octet-stream': { extensions: ['bin'] },
      'image/svg+xml': { extensions: ['svg'] },
    }`,
    of: /^services\//,
  },
  // Every product of Twilio but the one that sends messages, from modules that its client requires on demand.
  { filter: /^\.\/\w+$/, importer: /\/twilio\/lib\/rest\/Twilio\.js$/, keep: ['Api'] },
  // Tokens and markup of Twilio's voice products, with the libraries that make them.
  { filter: /^\.\.?\/(jwt|twiml)\//, importer: /\/twilio\/lib\/(index|base\/RequestClient)\.js$/ },
]

/** Replaces the parts that a program does not use by an empty module. */
export function leaveOut(program: string): Plugin {
  return {
    name: 'leave-out',
    setup(build) {
      for (const { filter, importer, keep = [], stub = '', of = /./ } of parts) {
        if (!of.test(program)) continue
        build.onResolve({ filter }, ({ path, importer: from }) => {
          const isUsed = !importer.test(from) || keep.includes(basename(path))
          if (isUsed) return null
          return { path: `${dirname(from)} ${path}`, namespace: 'left-out', sideEffects: false, pluginData: stub }
        })
      }
      build.onLoad({ filter: /./, namespace: 'left-out' }, ({ pluginData: stub }) => ({
        // Its exports make it a CommonJS module, whose export names are not checked.
        contents: `${stub}\nexports.isLeftOut = true`,
        loader: 'js',
      }))
    },
  }
}
