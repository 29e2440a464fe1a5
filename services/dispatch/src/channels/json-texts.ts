import type { EventTemplates } from '@notify/contracts'
import type { Visit } from './channel-template.ts'

type Json = NonNullable<EventTemplates['webhook']>['data'][string]

/** A JSON value with each of its texts converted; keys stay. */
export function mapJson<J extends Json>(value: J, path: string, visit: Visit): J {
  return mapped(value, path, visit) as J
}

function mapped(value: Json, path: string, visit: Visit): Json {
  if (typeof value === 'string') return visit(value, 'text', path)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item, at) => mapped(item, `${path}.${at}`, visit))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapped(item, `${path}.${key}`, visit)]))
}
