import type { OpenApi, Schema } from './openapi.ts'

/** A value of a body by its path: `attachments[].filename`. */
export interface Field {
  path: string
  type: string
  required: boolean
  description: string
}

/** Deeper values are left to the OpenAPI document. */
const deepest = 4

/** The values of a schema, each before what it contains. */
export function listFields(document: OpenApi, schema: Schema): Field[] {
  return fieldsOf(document, schema, { path: '', depth: 0, open: [] })
}

interface Place {
  path: string
  depth: number
  /** The names of the schemas around it, because a schema may contain itself. */
  open: readonly string[]
}

function fieldsOf(document: OpenApi, given: Schema, { path, depth, open }: Place): Field[] {
  const name = nameOf(given)
  if (depth > deepest || (name !== undefined && open.includes(name))) return []
  const schema = resolved(document, given)
  const inner = { depth, open: name === undefined ? open : [...open, name] }
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  if (parts.length > 0) return uniqueFields(parts.flatMap((part) => fieldsOf(document, part, { path, ...inner })))
  if (schema.items) return fieldsOf(document, schema.items, { path: `${path}[]`, ...inner })
  return Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
    const at = path === '' ? key : `${path}.${key}`
    const { description = '' } = { ...resolved(document, value), ...value }
    const field = { path: at, type: typeOf(document, value), required: !!schema.required?.includes(key), description }
    return [field, ...fieldsOf(document, value, { path: at, depth: depth + 1, open: inner.open })]
  })
}

const uniqueFields = (fields: readonly Field[]): Field[] => [
  ...new Map(fields.map((field) => [field.path, field])).values(),
]

const nameOf = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1)

const resolved = (document: OpenApi, schema: Schema): Schema => {
  const name = nameOf(schema)
  return name === undefined ? schema : (document.components.schemas[name] ?? {})
}

/** @returns for example `string, one of live, test` */
export function typeOf(document: OpenApi, given: Schema): string {
  const schema = resolved(document, given)
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  if (parts.length > 0) return [...new Set(parts.map((part) => typeOf(document, part)))].join(' or ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return `one of ${schema.enum.join(', ')}`
  if (schema.items) return `array of ${typeOf(document, schema.items)}`
  const type = [schema.type ?? 'any value'].flat().join(' or ')
  const most = schema.maxLength === undefined ? '' : `, at most ${schema.maxLength} characters`
  const range =
    schema.minimum !== undefined && schema.maximum !== undefined ? `, ${schema.minimum} to ${schema.maximum}` : ''
  return `${type}${schema.format ? ` (${schema.format})` : ''}${most}${range}`
}
