import fc from 'fast-check'

type Json = Record<string, unknown>

export interface Operation {
  method: string
  path: string
  parameters: { name: string; in: string; schema: Json }[]
  /** Media type and schema of the body; undefined for routes without. */
  body: { type: string; schema: Json } | undefined
  security: readonly Json[]
}

/** A request that violates the document, or that the document does not promise to serve. */
export interface Attack {
  path: Record<string, string>
  query: [string, string][]
  headers: Record<string, string>
  body: string | undefined
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

interface Document {
  paths: Record<string, Partial<Record<(typeof methods)[number], Json>>>
  components: { schemas: Record<string, Json> }
}

/** Every operation of an OpenAPI document, its references resolved. */
export function operationsOf(document: Document): Operation[] {
  const resolve = (schema: Json): Json => {
    const name = /^#\/components\/schemas\/(.+)$/.exec(String(schema.$ref))?.[1]
    return name ? document.components.schemas[name]! : schema
  }
  return Object.entries(document.paths).flatMap(([path, byMethod]) =>
    methods.flatMap((method) => {
      const operation = byMethod[method]
      if (!operation) return []
      const { content = {} } = (operation.requestBody ?? {}) as { content?: Record<string, { schema: Json }> }
      const [body] = Object.entries(content).map(([type, { schema }]) => ({ type, schema: resolve(schema) }))
      const { parameters = [], security = [] } = operation as unknown as Partial<Operation>
      return [{ method: method.toUpperCase(), path, parameters, body, security }]
    }),
  )
}

const polluting = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']
const oddText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    '\u202e',
    '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
    'İ',
    '𝔘𝔫𝔦',
    "' or 1=1 --",
    '{{ x }}',
    '{% raw',
    '%',
    '../..',
    ...polluting,
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(1_000, 70_000).map((length) => 'x'.repeat(length)),
)
const oddValue = fc.oneof(
  oddText,
  fc.constantFrom(null, true, 0, -1, 1e308, 1.5, 2 ** 53, [], {}, [[[]]], [null]),
  fc.jsonValue({ maxDepth: 3 }),
)
const pollution = fc
  .tuple(fc.constantFrom(...polluting), fc.constantFrom('{}', '{"isAdmin":true}', '1', 'null', '{"then":1}'))
  .map(([name, value]) => `"${name}":${value}`)

/** A value that nearly matches a schema, built from its own keywords. */
function near(schema: Json): fc.Arbitrary<unknown> {
  const {
    enum: choices,
    type,
    examples,
    const: only,
  } = schema as { enum?: unknown[]; type?: string; examples?: unknown[]; const?: unknown }
  if (only !== undefined) return fc.constant(only)
  if (choices) return fc.constantFrom(...choices)
  if (examples) return fc.constantFrom(...examples)
  if (type === 'object') return objectNear(schema)
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer' || type === 'number') return fc.integer({ min: -1, max: 200 })
  if (type === 'array') return fc.array(near((schema.items ?? {}) as Json), { maxLength: 3 })
  if (type === 'string')
    return fc.oneof(fc.constantFrom('+14155550100', 'a@b.example', 'A', '2026-01-01T00:00:00.000Z'), oddText)
  return oddValue
}

/** An object with valid, odd and missing fields. */
function objectNear({ properties = {} }: Json): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(properties as Record<string, Json>).map(([name, schema]) => {
    const value: fc.Arbitrary<unknown> = fc.oneof(
      { weight: 3, arbitrary: near(schema) },
      { weight: 1, arbitrary: oddValue },
    )
    return [name, value] as const
  })
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] })
}

function bodyOf(schema: Json): fc.Arbitrary<string> {
  const object = objectNear(schema)
  const whole = object.map((value) => JSON.stringify(value))
  return fc.oneof(
    { weight: 6, arbitrary: whole },
    {
      weight: 2,
      arbitrary: fc
        .tuple(object, fc.string({ maxLength: 9 }), oddValue)
        .map(([value, name, extra]) => JSON.stringify({ ...value, [name]: extra })),
    },
    // A literal could not have these names.
    {
      weight: 2,
      arbitrary: fc
        .tuple(whole, pollution)
        .map(([text, field]) => (text === '{}' ? `{${field}}` : `${text.slice(0, -1)},${field}}`)),
    },
    { weight: 1, arbitrary: oddValue.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.tuple(whole, fc.nat(20)).map(([text, length]) => text.slice(0, length)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '',
        '{',
        '[]',
        'null',
        '{"a":1,"a":2}',
        '['.repeat(5_000),
        '{"a":'.repeat(5_000),
        '\ufeff{}',
        'NaN',
      ),
    },
  )
}

const cursor = fc.oneof(oddText, fc.base64String({ maxLength: 200 }), fc.constantFrom('null', 'e30', 'eyJpZCI6MX0'))
const odd = (name: string, schema: Json) =>
  name === 'cursor'
    ? cursor
    : fc.oneof(oddText, fc.constantFrom('0', '-1', '101', '1e9', 'abc', 'true'), near(schema).map(String))
const idOf = fc.oneof(
  oddText,
  fc.constantFrom('01jd3x8qk5w9t2m4v6b8n0p2r4', 'notif_01jd3x8qk5w9t2m4v6b8n0p2r4', '+14155550100', '%00', '..'),
)
const oddHeaders = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        'text/plain',
        'application/xml',
        'application/json; charset=utf-16',
        'multipart/form-data',
        'x',
        '__proto__',
      )
      .map((type) => ({ 'content-type': type })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('', 'two words', 'x'.repeat(256), '__proto__')
      .map((key) => ({ 'idempotency-key': key })),
  },
)

/** Attacks on an operation. */
export function attacksOn({ parameters, body, path }: Operation): fc.Arbitrary<Attack> {
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name!, idOf] as const)
  const queries = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }) => [name, odd(name, schema)] as const)
  return fc.record({
    path: fc.record(Object.fromEntries(ids)),
    query: fc
      .tuple(
        fc.record(Object.fromEntries(queries), { requiredKeys: [] }),
        fc.option(fc.tuple(fc.constantFrom('nope', ...polluting), oddText)),
      )
      .map(([known, extra]) => [...Object.entries(known), ...(extra ? [extra] : [])] as [string, string][]),
    headers: oddHeaders.map((headers) => (body ? { 'content-type': body.type, ...headers } : { ...headers })),
    body: body ? bodyOf(body.schema) : fc.option(fc.constant('{}'), { nil: undefined, freq: 8 }),
  })
}
