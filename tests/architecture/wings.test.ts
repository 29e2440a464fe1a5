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

test('acceptance has at most 10 files', () => {
  expect(sources.filter((file) => roomOf(file) === 'accept').length).toBeLessThanOrEqual(10)
})

test('docs/adr/0014-wings.md shows the wings in this order', () => {
  const [, after = ''] = readText('docs/adr/0014-wings.md').split('## After')
  const places = rooms.filter((room) => !room.endsWith('.ts')).map((room) => after.indexOf(`${room}/`))
  expect(places).not.toContain(-1)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
})
