import { z } from 'zod'
import { takesIdempotencyKey } from './openapi-errors.ts'
import { parameterExampleOf } from './openapi-examples.ts'
import type { Route } from './route.ts'

type Json = Record<string, unknown>

/** The descriptions of path parameters. */
const pathParameters: Record<string, string> = {
  id: 'Id of the item',
  phone_e164: 'Phone number in E.164, for example +14155550100',
}

/** Query parameters that mean the same on every list. */
const queryParameters: Record<string, string> = {
  application_id: 'Only items of this application',
  broadcast_id: 'Only items of this broadcast',
  digest_id: 'Only items of this digest, and its message',
  category: 'Only items of this category',
  channel: 'Only items of this channel',
  format: 'Format of the file',
  interval: 'Length of the periods that are summed up',
  list_id: 'Only items of this list',
  mode: 'Only items of live or of test keys',
  page: 'Page number, from 1',
  reason: 'Only items with this reason',
  recipient: 'Only items of this recipient: phone number, email address or user id',
  status: 'Only items with this status',
  unread_only: 'Only unread notifications',
}

/** Path, query and header parameters of a route. */
export function parametersOf(route: Route): Json[] {
  return [...inPath(route), ...inQuery(route), ...(takesIdempotencyKey(route) ? [idempotencyKey] : [])]
}

function inPath({ name: route, path }: Route): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: pathParameters[name] ?? `Id of the ${name.replace(/_id$/, '').replaceAll('_', ' ')}`,
    schema: { type: 'string' },
    example: String(parameterExampleOf(route, name, {})),
  }))
}

function inQuery({ name: route, query }: Route): Json[] {
  if (!query) return []
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' })
  return Object.entries(properties).map(([name, property]) => {
    const { description = queryParameters[name], ...schema } = property as Json
    // A whole number arrives as text; callers see its real type.
    if (schema.type === 'integer') delete schema.pattern
    const { example: _, ...type } = schema
    const example = parameterExampleOf(route, name, schema)
    return { name, in: 'query', ...(required.includes(name) && { required: true }), description, schema: type, example }
  })
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'Unique key of one logical request. Repeating it within 24 hours returns the first response.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  example: 'order-A-1042-shipped',
}
