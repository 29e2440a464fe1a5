/** The subset of JSON Schema that zod writes for events. */
export interface JsonSchema {
  type?: string | string[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  additionalProperties?: JsonSchema | boolean
  anyOf?: JsonSchema[]
  enum?: unknown[]
  const?: unknown
  format?: string
  pattern?: string
  minimum?: number
  example?: unknown
}

/**
 * Deterministic sample values of a schema: the fullest, one for each further enum value, type and null, then the
 * shortest.
 * @throws Error for an unsupported schema
 */
export function samplesOf(schema: JsonSchema): unknown[] {
  if (schema.const !== undefined) return [schema.const]
  if (schema.enum) return schema.enum
  if (schema.anyOf) return schema.anyOf.flatMap(samplesOf)
  if (schema.example !== undefined) return [schema.example]
  if (Array.isArray(schema.type)) return schema.type.flatMap((type) => samplesOf({ ...schema, type }))
  switch (schema.type) {
    case 'object':
      return objectsOf(schema)
    case 'array':
      return [samplesOf(schema.items ?? {}), []]
    case 'string':
      return [textOf(schema)]
    case 'integer':
    case 'number':
      return [Math.max(schema.minimum ?? 0, 1)]
    case 'boolean':
      return [true, false]
    case 'null':
      return [null]
  }
  throw new Error(`no sample for ${JSON.stringify(schema)}: declare its type, or give it an example`)
}

function objectsOf({ properties = {}, required = [], additionalProperties }: JsonSchema): unknown[] {
  if (typeof additionalProperties === 'object') return [{ key: samplesOf(additionalProperties)[0] }]
  const values = Object.entries(properties).map(([name, schema]) => [name, samplesOf(schema)] as const)
  const fullest = Object.fromEntries(values.map(([name, [first]]) => [name, first]))
  const others = values.flatMap(([name, [, ...more]]) => more.map((value) => ({ ...fullest, [name]: value })))
  const optional = values.some(([name]) => !required.includes(name))
  const shortest = Object.fromEntries(Object.entries(fullest).filter(([name]) => required.includes(name)))
  return [fullest, ...others, ...(optional ? [shortest] : [])]
}

function textOf({ format, pattern }: JsonSchema): string {
  // As Postgres writes it in events.
  if (format === 'date-time') return '2026-11-21T09:30:00.123456+00:00'
  if (pattern !== undefined || format !== undefined) throw new Error(`text with ${pattern ?? format} needs an example`)
  return 'text'
}
