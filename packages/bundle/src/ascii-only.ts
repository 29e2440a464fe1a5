import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

/**
 * Writes other characters of packages than ASCII as escapes. esbuild does so except in regular expressions, and a single such character
 * doubles the memory of a bundle: V8 then holds its text with two bytes a character.
 */
export const asciiOnly: Plugin = {
  name: 'ascii-only',
  setup(build) {
    build.onLoad({ namespace: 'file', filter: /\.[cm]?js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      return /[^\0-\x7f]/.test(text) ? { loader: 'js', contents: text.replaceAll(/[^\0-\x7f]/g, asEscape) } : null
    })
  },
}

function asEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
