// The licences of the production dependencies of the seven services and of the console, as THIRD-PARTY-NOTICES.md.
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** Dependencies of the console that build it, and are no part of it. */
const buildTools = ['vite', '@vitejs/plugin-react', '@tailwindcss/vite', 'tailwindcss']

/** @returns the text of THIRD-PARTY-NOTICES.md, from the packages that are installed */
export function licenceNotices() {
  const found = new Map()
  for (const service of readdirSync(join(root, 'services'))) collect(join(root, 'services', service), found)
  collect(join(root, 'packages', 'console'), found, buildTools)
  const packages = [...found.values()].filter(({ name }) => !name.startsWith('@notify/')).sort(byName)
  const lines = packages.map(
    ({ name, version, license, copyright }) => `| ${name} | ${version} | ${license} | ${copyright} |`,
  )
  return [
    '# Third-party notices',
    '',
    'The images of the services contain these packages. The texts of the licences are in `/app/LICENSES.txt` of each image.',
    '`npm run generate` writes this file.',
    '',
    '| Package | Version | Licence | Copyright |',
    '| --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n')
}

/** Adds a package's production dependencies. Optional ones differ by machine, and no image has them. */
function collect(folder, found, leftOut = []) {
  const { dependencies = {}, optionalDependencies = {} } = manifestOf(folder)
  for (const dependency of Object.keys(dependencies)) {
    if (dependency in optionalDependencies || leftOut.includes(dependency)) continue
    const place = placeOf(folder, dependency)
    if (place === undefined || found.has(place)) continue
    const { name, version, license } = manifestOf(place)
    found.set(place, { name, version, license: license?.type ?? license ?? 'unknown', copyright: copyrightOf(place) })
    collect(place, found)
  }
}

/** Where Node finds a dependency of the package in a folder; undefined for those that .pnpmfile.cjs leaves out. */
function placeOf(folder, dependency) {
  for (let parent = folder; parent !== dirname(parent); parent = dirname(parent)) {
    const place = join(parent, 'node_modules', dependency)
    if (existsSync(place)) return realpathSync(place)
  }
  return undefined
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

/** The first line of the licence file that names a holder. */
function copyrightOf(folder) {
  const file = readdirSync(folder)
    .sort()
    .find((name) => /^licen[cs]e/i.test(name))
  const lines = file === undefined ? [] : readFileSync(join(folder, file), 'utf8').split('\n')
  const line = lines.find((text) => /^\W*copyright\b.*(\(c\)|©|\d{4})/i.test(text) && !text.includes('[yyyy]'))
  return (line ?? '').trim().replaceAll('|', '\\|')
}

function byName(a, b) {
  return `${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1
}
