import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The licences of the packages that an image has parts of, as their authors ask: with the copyright, in every copy.
 * @param inputs the sources of the bundles, relative to the root
 * @param served files and folders that the image has as they are; one that Vite has built names the licences of its packages
 */
export async function licencesOf(root: string, inputs: Iterable<string>, served: readonly string[]): Promise<string> {
  const own = [...inputs, ...served].filter((input) => !/^(left-out|builtin):/.test(input))
  const folders = new Set(own.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []))
  const parts = await Promise.all([...folders].sort().map((folder) => licenceOf(join(root, folder))))
  const lists = served.map((path) => join(root, path, '.vite', 'license.md')).filter((path) => existsSync(path))
  const built = await Promise.all(lists.map((path) => readFile(path, 'utf8')))
  return [...new Set(parts), ...built].join('\n')
}

async function licenceOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<
    string,
    string
  >
  const file = (await readdir(folder)).find((each) => /^(licen[cs]e|copying)/i.test(each))
  const text = file ? await readFile(join(folder, file), 'utf8') : ''
  return `${'-'.repeat(80)}\n${name} ${version}, ${license}\n\n${text.trim()}\n`
}
