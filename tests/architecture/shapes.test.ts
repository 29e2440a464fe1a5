import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { publicRoutes } from '@notify/contracts/catalogue'
import { readShape } from '@notify/service-kit'
import { z } from 'zod'
import { readText, root, services, sourcesOf } from './sources.ts'

const wrong = [null, 7, -1, 1e9, true, '', ' ', 'yesterday', '\u0000', 'x'.repeat(10_000), [], [7], {}, { a: 1 }]
const routes = publicRoutes().flatMap((route) =>
  [route.query, route.body].flatMap((schema) => (schema ? [[`${route.method} ${route.path}`, schema] as const] : [])),
)
const fieldsOf = (schema: z.ZodType) => Object.keys((schema as z.ZodObject).shape ?? {})

test.each(routes)('%s names each invalid field once, in our own words', (_name, schema) => {
  for (const value of [
    undefined,
    ...wrong,
    ...fieldsOf(schema).flatMap((name) => wrong.map((one) => ({ [name]: one }))),
  ]) {
    const { errors = [] } = readShape(schema, value)
    const paths = errors.map(({ path }) => path)
    expect(new Set(paths).size).toBe(paths.length)
    // Texts of zod begin with a capital letter, ours continue a sentence.
    expect(errors.filter(({ message }) => !/^[a-z]/.test(message))).toEqual([])
  }
})

/** Where a JSON schema has objects that pass over fields which they do not name. Records name none. */
function openObjects(node: unknown, path: string): string[] {
  if (typeof node !== 'object' || node === null) return []
  const { type, properties, additionalProperties } = node as Record<string, unknown>
  const isOpen = type === 'object' && properties !== undefined && additionalProperties !== false
  const within = Object.entries(node).flatMap(([name, part]) => openObjects(part, `${path}.${name}`))
  return isOpen ? [path, ...within] : within
}

test('bodies refuse unknown fields at every depth, because a misspelt one would be dropped silently', () => {
  const openIn = (name: string, body: z.ZodType) =>
    openObjects(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }), name)
  const named = z.object({ a: z.string() }).meta({ id: 'Named' })
  const open = z.strictObject({ named: named.nullable(), list: z.array(z.looseObject({ b: z.string() })).default([]) })
  expect(openIn('open', open).sort()).toEqual(['open.$defs.Named', 'open.properties.list.items'])
  const bodies = publicRoutes().flatMap(({ name, body }) => (body ? [[name, body] as const] : []))
  expect(bodies.length).toBeGreaterThan(30)
  expect(bodies.flatMap(([name, body]) => openIn(name, body))).toEqual([])
})

test('services leave the texts of invalid fields to service-kit', () => {
  const readers = services
    .flatMap((name) => sourcesOf(`services/${name}`))
    .filter((file) => /\.issues\b/.test(readText(file)))
  expect(readers).toEqual([])
})

test('every service that appends paths to PUBLIC_URL reads it without the slash at its end', async () => {
  const read: Record<string, unknown> = {}
  for (const name of services) {
    const { Config } = (await import(join(root, 'services', name, 'src', 'config.ts'))) as { Config: z.ZodObject }
    const { PUBLIC_URL } = Config.shape
    if (PUBLIC_URL) read[name] = (PUBLIC_URL as z.ZodType).parse('https://api.example.com/cells/eu1/')
  }
  const address = 'https://api.example.com/cells/eu1'
  expect(read).toEqual({ callbacks: address, dispatch: address })
})
