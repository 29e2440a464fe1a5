import type { EventFixture } from '../../scripts/contract-fixtures.ts'
import type { JsonSchema } from '../../scripts/json-samples.ts'

/**
 * Incompatibilities between the events of two releases: everything except added optional fields and values. Events are
 * matched by subject. Patterns are not compared; the samples test them.
 */
export function compareEvents(
  before: Readonly<Record<string, EventFixture>>,
  after: Readonly<Record<string, EventFixture>>,
): string[] {
  return Object.entries(before).flatMap(([name, old]) => {
    const { publisher, schema, sealed } = eventOn(old.subject, after) ?? {}
    if (!schema) return [`${name}: nothing reads ${old.subject} any more`]
    return [
      ...(publisher === old.publisher ? [] : [`${name} has another publisher`]),
      ...(JSON.stringify(sealed) === JSON.stringify(old.sealed) ? [] : [`${name} is sealed otherwise`]),
      ...compareSchemas(name, old.schema, schema),
    ]
  })
}

/** The event of a release on a subject, whatever its name. */
export function eventOn(subject: string, events: Readonly<Record<string, EventFixture>>): EventFixture | undefined {
  return Object.values(events).find((event) => event.subject === subject)
}

const compared = [
  'type',
  'format',
  'const',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
] as const

function compareSchemas(place: string, before: JsonSchema, after: JsonSchema): string[] {
  const differing = compared.filter(
    (key) =>
      JSON.stringify((before as Record<string, unknown>)[key]) !==
      JSON.stringify((after as Record<string, unknown>)[key]),
  )
  const { items, anyOf, additionalProperties } = before
  return [
    ...differing.map((key) => `${place} has another ${key}`),
    ...compareValues(place, before.enum, after.enum),
    ...compareFields(place, before, after),
    ...(items && after.items ? compareSchemas(`${place}[]`, items, after.items) : []),
    ...(typeof additionalProperties === 'object' && typeof after.additionalProperties === 'object'
      ? compareSchemas(`${place}.*`, additionalProperties, after.additionalProperties)
      : []),
    ...(JSON.stringify(anyOf?.length) === JSON.stringify(after.anyOf?.length)
      ? []
      : [`${place} has other alternatives`]),
    ...(anyOf ?? []).flatMap((each, index) => compareSchemas(place, each, after.anyOf?.[index] ?? each)),
  ]
}

function compareValues(place: string, before: unknown[] | undefined, after: unknown[] | undefined): string[] {
  if (!before && !after) return []
  if (!before || !after) return [`${place} is a closed list in one release alone`]
  return before
    .filter((value) => !after.includes(value))
    .map((value) => `${place} has no ${JSON.stringify(value)} any more`)
}

function compareFields(place: string, before: JsonSchema, after: JsonSchema): string[] {
  const needed = new Set(before.required)
  const neededNow = new Set(after.required)
  const known = before.properties ?? {}
  return [
    ...Object.entries(known).flatMap(([name, schema]) => {
      const now = after.properties?.[name]
      return now ? compareSchemas(`${place}.${name}`, schema, now) : [`${place}.${name} is gone`]
    }),
    ...[...neededNow].filter((name) => !needed.has(name)).map((name) => `${place}.${name} has become required`),
    ...[...needed]
      .filter((name) => after.properties?.[name] && !neededNow.has(name))
      .map((name) => `${place}.${name} is not required any more`),
  ]
}
