import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..', '..')

/** The folders of services/ and packages/. */
const foldersOf = (parent: string) =>
  readdirSync(join(root, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
export const services = foldersOf('services')
export const packages = foldersOf('packages')

const notOurs = ['node_modules', 'dist', '.local']

/** Every handwritten file below a folder, relative to the root. */
export function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !notOurs.includes(name))
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)]))
    .sort()
}

export const isSource = (path: string) => /\.(ts|tsx|mjs|js)$/.test(path)
export const isTest = (path: string) => /\.test\.tsx?$|(^|\/)tests\//.test(path)

/** Production sources of a service or package. */
export function sourcesOf(folder: string): string[] {
  return filesBelow(`${folder}/src`).filter((path) => isSource(path) && !isTest(path))
}

export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** The imports of a file, including types and dynamic imports. */
export function importsOf(path: string): string[] {
  const pattern = /(?:\bfrom\s+|\bimport\s*\(\s*|^import\s+)(['"])([^'"\n]+)\1/gm
  return [...readText(path).matchAll(pattern)].map(([, , specifier = '']) => specifier)
}
