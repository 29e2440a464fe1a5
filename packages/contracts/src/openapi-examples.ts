import { errorHelp } from './error-help.ts'
import { type ErrorCode, errorCodes } from './errors.ts'
import { fieldExamples } from './example-fields.ts'
import { answerExamples, errorExamples, requestExamples } from './example-values.ts'
import type { ProblemBody } from './problem.ts'
import type { Route } from './route.ts'

type Json = Record<string, unknown>

interface Schema {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  example?: unknown
  format?: string
}

/** The body that the OpenAPI document shows for a route; undefined for a route without a body. */
export function requestExampleOf({ name, requestExample = requestExamples[name] }: Route): unknown {
  return structuredClone(requestExample)
}

/** The beginning of a stream, as the OpenAPI document shows it. */
export function streamExampleOf(route: string): unknown {
  return answerExamples[route]?.['text/event-stream']
}

/** A response of a route in a media type, as the OpenAPI document shows it. */
export function answerExampleOf(route: string, type: string, schema: Json, schemas: Json): unknown {
  return answerExamples[route]?.[type] ?? exampleOf(schema, route, schemas)
}

/** A file with one line, as the OpenAPI document shows it: of JSON, or CSV with its header line. */
export function linesExampleOf({ name, columns }: Route, type: string, line: Json, schemas: Json): string {
  const item = exampleOf(line, name, schemas) as Json
  if (type !== 'text/csv' || !columns) return `${JSON.stringify(item)}\n`
  // The first character of a masked number would begin a formula.
  const cells = columns.map((column) => String(item[column] ?? '').replace(/^\+/, "'+"))
  return `${columns.join(',')}\r\n${cells.join(',')}\r\n`
}

/** A value of a parameter, as the OpenAPI document shows it. */
export function parameterExampleOf(route: string, name: string, schema: Json): unknown {
  return exampleOf(schema, route, {}, name)
}

/**
 * Composes an example from those of the fields: by `<Schema>.<field>`, by the name of the field, then by its schema.
 * @param owner name of the schema or route that the fields belong to
 * @throws Error for a field without an example
 */
function exampleOf(schema: Schema, owner: string, schemas: Json, field?: string): unknown {
  for (const key of field === undefined ? [] : [`${owner}.${field}`, field]) {
    if (Object.hasOwn(fieldExamples, key)) return structuredClone(fieldExamples[key])
  }
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1)!
    return exampleOf(schemas[name] as Schema, name, schemas, field)
  }
  if (schema.example !== undefined) return schema.example
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return choices.some(({ type }) => type === 'null') ? null : exampleOf(choices[0]!, owner, schemas, field)
  if (schema.type?.includes('null')) return null
  if (schema.type === 'boolean') return false
  if (schema.type === 'array') return [exampleOf(schema.items!, owner, schemas)]
  if (schema.properties) {
    const fields = Object.entries(schema.properties).filter(([name]) => schema.required?.includes(name))
    return Object.fromEntries(fields.map(([name, part]) => [name, exampleOf(part, owner, schemas, name)]))
  }
  if (schema.type === 'object') return {}
  throw new Error(`example-fields.ts has no example for ${owner}.${field}`)
}

/** An error as the OpenAPI document shows it. */
export function problemExampleOf(code: ErrorCode): { summary: string; value: ProblemBody } {
  const value = {
    type: `/docs/errors/${code}`,
    ...errorCodes[code],
    code,
    detail: errorHelp[code].meaning,
    ...errorExamples[code],
    request_id: 'req_01jd3x8qk5w9t2m4v6b8n0p2r4',
  }
  return { summary: errorCodes[code].title, value }
}
