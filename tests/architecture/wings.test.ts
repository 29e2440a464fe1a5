import { join, relative } from 'node:path'
import { expect, test } from '@jest/globals'
import { importsOf, readText, sourcesOf } from './sources.ts'

const src = 'services/dispatch/src'

/** The rooms of dispatch from the top: each imports only from itself and from those below it. */
const rooms = [
  'main.ts',
  'service.ts',
  'routes.ts',
  'consumers.ts',
  'upkeep',
  'audiences',
  'accept',
  'deliver',
  'outcome',
  'catalogue',
  'context.ts',
  'metrics.ts',
  'config.ts',
  'channels',
  'db',
]

const sources = sourcesOf('services/dispatch')
const roomOf = (file: string) => relative(src, file).split('/')[0]!

/** The imports of a file, types included, of a room above its own. */
function importsFromAbove(file: string, specifiers: readonly string[]): string[] {
  return specifiers
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => join(file, '..', specifier))
    .filter((target) => rooms.indexOf(roomOf(target)) < rooms.indexOf(roomOf(file)))
    .map((target) => `${file}: ${target}`)
}

test('every file of dispatch is in one of its wings, or is one of the files that every service has', () => {
  expect([...new Set(sources.map(roomOf))].sort()).toEqual([...rooms].sort())
})

test('an import from a wing above is found', () => {
  const specifiers = ['../../deliver/run-lane.ts', '../facts/fact-sql.ts', '../../context.ts', '@notify/database']
  expect(importsFromAbove(`${src}/outcome/receipts/any.ts`, specifiers)).toEqual([
    `${src}/outcome/receipts/any.ts: ${src}/deliver/run-lane.ts`,
  ])
})

test('a wing of dispatch imports nothing of a wing above it, not even a type', () => {
  expect(sources.length).toBeGreaterThan(150)
  expect(sources.flatMap((file) => importsFromAbove(file, importsOf(file)))).toEqual([])
})

/** The folder of a wing that a file is in, such as `catalogue/events`; undefined for files of the wing itself. */
const folderOf = (file: string) => {
  const [wing, folder, ...rest] = relative(src, file).split('/')
  return rest.length > 0 ? `${wing}/${folder}` : undefined
}

/** The circles between folders of one wing: each folder leads to those that it imports from. */
function circlesOf(imports: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const reaches = (from: string, wanted: string, seen = new Set<string>()): boolean =>
    [...(imports.get(from) ?? [])].some((next) => {
      if (next === wanted) return true
      if (seen.has(next)) return false
      seen.add(next)
      return reaches(next, wanted, seen)
    })
  return [...imports.keys()].filter((folder) => reaches(folder, folder))
}

/** The imports between the folders of the wings, types included. */
function folderImports(files: readonly string[]): Map<string, Set<string>> {
  const imports = new Map<string, Set<string>>()
  for (const file of files) {
    const own = folderOf(file)
    if (own === undefined || roomOf(file) === 'channels') continue
    for (const specifier of importsOf(file).filter((one) => one.startsWith('.'))) {
      const target = folderOf(join(file, '..', specifier))
      if (target === undefined || target === own || roomOf(file) !== target.split('/')[0]) continue
      imports.set(own, (imports.get(own) ?? new Set()).add(target))
    }
  }
  return imports
}

test('the folders of a wing import each other in one direction only', () => {
  const found = folderImports(sources)
  expect(found.get('catalogue/events')).toContain('catalogue/templates')
  expect(circlesOf(found)).toEqual([])
  expect(circlesOf(new Map([...found, ['catalogue/templates', new Set(['catalogue/events'])]]))).toEqual(
    expect.arrayContaining(['catalogue/events', 'catalogue/templates']),
  )
})

test('acceptance has at most 10 files', () => {
  expect(sources.filter((file) => roomOf(file) === 'accept').length).toBeLessThanOrEqual(10)
})

test('docs/adr/0014-wings.md states the number of folders and the most import relations between them', () => {
  const arrows = sources.flatMap((file) =>
    importsOf(file)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => `${roomOf(file)} -> ${roomOf(join(file, '..', specifier))}`)
      .filter((arrow) => new Set(arrow.split(' -> ')).size === 2),
  )
  const [, count, most] =
    /(\d+)\s+folders\s+and\s+at\s+most\s+(\d+)\s+import\s+relations/.exec(readText('docs/adr/0014-wings.md')) ?? []
  expect(rooms).toHaveLength(Number(count))
  expect(new Set(arrows).size).toBeLessThanOrEqual(Number(most))
})

test('docs/adr/0014-wings.md shows the wings in this order', () => {
  const [, after = ''] = readText('docs/adr/0014-wings.md').split('## After')
  const places = rooms.filter((room) => !room.endsWith('.ts')).map((room) => after.indexOf(`${room}/`))
  expect(places).not.toContain(-1)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
})
