// The rules that keep the structure as it is: those of imports, and the titles of tests/architecture.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const folder = 'tests/architecture'

/** They start processes or take long: `npm test` runs them. */
const isSlow = (file, text) => text.includes('TestEnv') || /^(?:carriers|generated|openapi-lint)\./.test(file)

/** The names of the rules of dependency-cruiser, with their reasons. */
export function rulesOfImports() {
  const { forbidden } = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs'))
  return forbidden.map(({ name, comment }) => (comment ? `${name}: ${comment}` : name))
}

/** The files of tests/architecture with the titles of their tests. */
export function rulesOfTests() {
  const files = readdirSync(join(root, folder)).filter((file) => file.endsWith('.test.ts'))
  return files.sort().map((file) => {
    const text = readFileSync(join(root, folder, file), 'utf8')
    return { path: `${folder}/${file}`, isSlow: isSlow(file, text), titles: titlesIn(text) }
  })
}

/** Titles of tests with a row for each case have a placeholder; those that try the rule itself are left out. */
function titlesIn(text) {
  const titles = text.matchAll(/(?:\btest|\))\(\s*(['"`])((?:(?!\1)[^\\\n]|\\.)*)\1,\s*(?:async\s*)?\(/g)
  return [...titles]
    .map(([, , title]) => title.replace(/%[sdj#]|\$\{?[\w.]+\}?/g, '…').replaceAll("\\'", "'"))
    .filter(
      (title) => !/\b(?:is|are) (?:found|none|refused|a list of channels|a result that nothing checks)\b/.test(title),
    )
}
