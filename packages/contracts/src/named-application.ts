import { z } from 'zod'
import type { Route } from './route.ts'

const field = 'application_id'

/** Whether a request to a route names an application, in its path or as a field of its body. */
export function namedApplication({ path, body }: Pick<Route, 'path' | 'body'>): 'path' | 'body' | undefined {
  if (path.split('/').includes(`:${field}`)) return 'path'
  return body && hasField(body) ? 'body' : undefined
}

/** Whether an object of this schema, or one of its alternatives, may have the field. */
function hasField(schema: z.core.$ZodType): boolean {
  if (schema instanceof z.ZodObject) return field in schema.shape
  if (schema instanceof z.ZodUnion) return schema.options.some(hasField)
  if (schema instanceof z.ZodIntersection) return [schema.def.left, schema.def.right].some(hasField)
  if (schema instanceof z.ZodPipe) return hasField(schema.def.in)
  return false
}
